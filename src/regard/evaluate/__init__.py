"""Corpus scores, confidence intervals, comparisons and quality warnings."""
