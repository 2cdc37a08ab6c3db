"""Benchmarks. Run each as a module: `python -m benchmarks.NAME`."""
