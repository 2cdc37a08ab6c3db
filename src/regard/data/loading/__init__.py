"""Read token shards as a stream of training batches."""
