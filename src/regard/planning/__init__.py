"""Capacity planning: how many servers a load needs, measured and simulated."""
