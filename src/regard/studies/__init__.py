"""Studies: train models that differ in one respect, and write tables and figures."""
