"""Training: the trainer, losses, optimizers, checkpoints and loggers."""
