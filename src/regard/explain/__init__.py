"""To look at where a model looks, and to draw it."""
