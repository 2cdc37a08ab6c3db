"""Document classification."""
