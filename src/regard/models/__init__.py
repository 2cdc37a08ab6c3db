"""Whole models: what a trainer trains and a search asks."""

from regard.models.classifier import Classifier
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.language_model import LanguageModel
from regard.models.rest import at_rest

__all__ = ["Classifier", "EncoderDecoder", "LanguageModel", "at_rest"]
