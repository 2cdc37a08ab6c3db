"""From batches to a trained model."""
