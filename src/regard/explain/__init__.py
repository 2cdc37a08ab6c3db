"""Explanations of model outputs: records, figures and the HTML viewer."""
