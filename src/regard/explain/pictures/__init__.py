"""Static figures and terminal output. Nothing here depends on a model."""
