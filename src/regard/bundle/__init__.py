"""Model bundles: a trained model as one directory."""
