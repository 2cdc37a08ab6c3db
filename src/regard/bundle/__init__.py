"""A trained model as one directory, from raw string to raw string."""
