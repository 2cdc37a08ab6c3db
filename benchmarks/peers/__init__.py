"""Comparison with other toolkits: same data, same model size, same wall time."""
