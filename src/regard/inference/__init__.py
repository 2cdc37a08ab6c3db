"""Run trained models: search engines, the text pipeline and forced decoding."""
