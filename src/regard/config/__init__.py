"""Pydantic configs of a run: model, data, training and search; presets; loading and describing."""
