"""The grammar of a run: what can be said in a run file, and how it is read."""
