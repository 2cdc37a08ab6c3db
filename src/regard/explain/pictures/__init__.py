"""Still pictures: on paper and in a terminal. Nothing here knows a model."""
