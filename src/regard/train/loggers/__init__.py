"""Who is told what happens in a run: a journal, TensorBoard, MLflow, Weights & Biases."""
