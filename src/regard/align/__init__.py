"""Word alignments: extraction, symmetrization, scoring and Pharaoh files."""
