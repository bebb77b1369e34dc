"""Raw text in, raw text out: tokenizers and their vocabularies."""
