"""Documents: their classes."""
