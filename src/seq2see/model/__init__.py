"""Encoder, decoders and the network made of them."""
