"""Tasks: what differs between the uses of a model, such as its inputs, outputs and scores."""
