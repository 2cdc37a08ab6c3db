"""Loggers of a run: JSON Lines, TensorBoard, MLflow, Weights & Biases."""
