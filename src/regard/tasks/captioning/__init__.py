"""Captions: pictures in, sentences out."""
