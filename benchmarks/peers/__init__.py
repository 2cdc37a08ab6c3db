"""Other toolkits beside regard: the same pieces, the same size of model, the same wall time."""
