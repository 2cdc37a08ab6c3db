"""The figures that everyone cites, made again: each a study of models that differ in one thing."""
