"""The command line: one file for each verb. Heavy imports wait until a verb is really asked."""
