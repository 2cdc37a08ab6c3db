"""Word links: extracting, symmetrizing and scoring them."""
