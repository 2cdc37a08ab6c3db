"""All that differs between the uses of a model: what it reads, what it says, how good that is."""
