"""Image captioning."""
