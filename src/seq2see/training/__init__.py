"""Training: from a configuration to a model folder."""
