"""The translation server: HTTP front, queue, engine processes, limits and keys."""
