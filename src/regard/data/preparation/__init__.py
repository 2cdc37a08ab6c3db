"""Convert corpora to token shards: pure stages, and runners that execute them."""
