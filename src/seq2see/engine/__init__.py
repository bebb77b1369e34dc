"""What runs a network: torch, ONNX Runtime, or several at once."""
