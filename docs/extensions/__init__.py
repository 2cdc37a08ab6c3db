"""Reference pages of the site that are generated from the code."""
