"""What turns encoded sources into hypotheses."""
