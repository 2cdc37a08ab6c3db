"""Fast implementations of what `attention` defines."""
