"""Document formats: one module for each, with the interface of `base`."""
