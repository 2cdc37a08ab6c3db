"""Conversion of models to other toolkits: CTranslate2."""
