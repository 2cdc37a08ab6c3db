"""Encoders, decoders and pooling: the parts of models."""
