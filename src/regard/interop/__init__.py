"""Conversion of models to and from other toolkits: CTranslate2, Hugging Face, Marian."""
