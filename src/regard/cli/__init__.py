"""The command line: one file per command. Heavy imports are local to the commands."""
