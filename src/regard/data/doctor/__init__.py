"""Find the defects of a corpus before training on it."""
