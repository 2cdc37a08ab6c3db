"""Whole models: what a trainer trains and a search extends hypotheses with."""

from regard.models.classifier import Classifier as Classifier
from regard.models.encoder_decoder import EncoderDecoder as EncoderDecoder
from regard.models.eval_mode import eval_mode as eval_mode
from regard.models.language_model import LanguageModel as LanguageModel
