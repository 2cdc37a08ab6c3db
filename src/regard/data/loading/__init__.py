"""From token shards to the stream of batches that a training run reads."""
