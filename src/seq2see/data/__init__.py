"""Sequence pairs: corpora, readers, batches."""
