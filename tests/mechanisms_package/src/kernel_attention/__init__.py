"""Mechanisms of another package than regard. Its entry points are in pyproject.toml."""
