"""File formats: corpora, captions, images and feature grids."""
