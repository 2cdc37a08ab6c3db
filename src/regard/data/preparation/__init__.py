"""From corpora to token shards: pure stages, and whoever runs them."""
