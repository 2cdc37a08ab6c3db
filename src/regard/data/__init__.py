"""From files to batches: corpora and their doctor, preparation, shards, the stream of batches."""
