"""Fast implementations of what `align` defines."""
