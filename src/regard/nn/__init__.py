"""Parts of models: what reads (encoders), what says (decoders), and what sums up (pools)."""
