"""The languages of a server: the pairs that its models translate, and the names of languages."""

from __future__ import annotations

import re
from collections.abc import Iterable

from regard.serve.models import NoModelError, ServedModel

_TABLE = """
af Afrikaans, am Amharic, ar Arabic, as Assamese, az Azerbaijani, ba Bashkir, be Belarusian,
bg Bulgarian, bn Bengali, bo Tibetan, br Breton, bs Bosnian, ca Catalan, cs Czech, cy Welsh,
da Danish, de German, el Greek, en English, eo Esperanto, es Spanish, et Estonian, eu Basque,
fa Persian, fi Finnish, fo Faroese, fr French, fy Western Frisian, ga Irish, gd Scottish Gaelic,
gl Galician, gu Gujarati, ha Hausa, he Hebrew, hi Hindi, hr Croatian, ht Haitian Creole,
hu Hungarian, hy Armenian, ia Interlingua, id Indonesian, ig Igbo, is Icelandic, it Italian,
iu Inuktitut, ja Japanese, jv Javanese, ka Georgian, kk Kazakh, km Khmer, kn Kannada, ko Korean,
ku Kurdish, ky Kyrgyz, la Latin, lb Luxembourgish, ln Lingala, lo Lao, lt Lithuanian, lv Latvian,
mg Malagasy, mi Maori, mk Macedonian, ml Malayalam, mn Mongolian, mr Marathi, ms Malay, mt Maltese,
my Burmese, nb Norwegian Bokmål, ne Nepali, nl Dutch, nn Norwegian Nynorsk, no Norwegian,
ny Nyanja, oc Occitan, om Oromo, or Odia, pa Punjabi, pl Polish, ps Pashto, pt Portuguese,
qu Quechua, ro Romanian, ru Russian, rw Kinyarwanda, sa Sanskrit, sc Sardinian, sd Sindhi,
se Northern Sami, si Sinhala, sk Slovak, sl Slovenian, sm Samoan, sn Shona, so Somali, sq Albanian,
sr Serbian, st Southern Sotho, su Sundanese, sv Swedish, sw Swahili, ta Tamil, te Telugu, tg Tajik,
th Thai, ti Tigrinya, tk Turkmen, tl Tagalog, tn Tswana, tr Turkish, ts Tsonga, tt Tatar,
ug Uyghur, uk Ukrainian, ur Urdu, uz Uzbek, vi Vietnamese, wo Wolof, xh Xhosa, yi Yiddish,
yo Yoruba, zh Chinese, zu Zulu
"""
NAMES: dict[str, str] = dict(re.findall(r"(\w+) ([^,\n]+)", _TABLE))  # by ISO 639-1 code


def language_name(code: str) -> str:
    """The English name of a language; of an unknown one its code."""
    return NAMES.get(code, code)


def base_language(code: str) -> str:
    """The code without its region or script: `pt` of `PT-BR`, `zh` of `zh-Hans`."""
    return code.strip().lower().replace("_", "-").partition("-")[0]


class LanguagePairs:
    """The pairs that models translate. Of several models for a pair, the first is used."""

    def __init__(self, models: Iterable[ServedModel]) -> None:
        self._models: dict[tuple[str, str], tuple[ServedModel, str]] = {}
        for model in models:
            for source, target in model.pairs:
                pair = base_language(source), base_language(target)
                self._models.setdefault(pair, (model, target))

    def sources(self, target: str | None = None) -> list[str]:
        """All source languages, or those that can be translated into `target`."""
        return list(dict.fromkeys(s for s, t in self._models if target in (None, t)))

    def targets(self, source: str | None = None) -> list[str]:
        """All target languages, or those into which `source` can be translated."""
        return list(dict.fromkeys(t for s, t in self._models if source in (None, s)))

    def find(self, source: str | None, target: str) -> tuple[str, ServedModel, str]:
        """Return the source language and the model of a pair, and the model's code of the target.

        Args:
            source: Code of the source language. None: the only one that can be translated into the
                target, as the server does not identify languages.
            target: Code of the target language. Regions are ignored.

        Raises:
            NoModelError: No model translates the pair, or several do and `source` is None.
        """
        wanted = base_language(target)
        if wanted not in self.targets():
            raise NoModelError(
                f"{target[:20]} is not supported. The target languages are: {_list(self.targets())}"
            )
        sources = self.sources(wanted)
        if source is None:
            if len(sources) > 1:
                raise NoModelError(
                    "This server does not identify languages. Name the source language. "
                    f"{language_name(wanted)} ({wanted}) is translated from: {_list(sources)}"
                )
            chosen = sources[0]
        else:
            chosen = base_language(source)
        if chosen not in self.sources():
            raise NoModelError(
                f"{(source or '')[:20]} is not supported. "
                f"The source languages are: {_list(self.sources())}"
            )
        if (chosen, wanted) not in self._models:
            raise NoModelError(
                f"{language_name(wanted)} ({wanted}) is not available as a target language from "
                f"{language_name(chosen)} ({chosen}). It is translated from: {_list(sources)}"
            )
        return chosen, *self._models[chosen, wanted]


def _list(codes: list[str]) -> str:
    return f"{', '.join(codes)}."
