"""Jobs over whole corpora: a function of blocks of records, run as tasks of `preparation`."""
