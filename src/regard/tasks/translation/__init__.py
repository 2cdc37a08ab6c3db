"""Translation: sentences in, sentences out."""
