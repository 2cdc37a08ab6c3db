"""Measures: what a study computes from its trained models."""
