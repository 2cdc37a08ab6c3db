"""From files to batches: corpus formats, the doctor, preparation, loading."""
