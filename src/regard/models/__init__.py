"""Whole models: what a trainer trains and a search asks."""

from regard.models.classifier import Classifier
from regard.models.encoder_decoder import EncoderDecoder
from regard.models.eval_mode import eval_mode
from regard.models.language_model import LanguageModel

__all__ = ["Classifier", "EncoderDecoder", "LanguageModel", "eval_mode"]
