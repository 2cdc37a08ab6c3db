"""Sentence pairs of the demo: dates and their ISO form, and a toy grammar of English and French.

In the grammar, most French adjectives follow the noun and all agree with it in gender and number,
so that the words of a translation are in another order and depend on words further away. Nouns and
adjectives begin with a consonant, so that no article is elided.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

Pair = tuple[str, str]

CLAUSES = 4  # in the longest sentences


@dataclass(frozen=True, slots=True)
class Noun:
    singular: str
    plural: str
    french: str
    french_plural: str
    feminine: bool


@dataclass(frozen=True, slots=True)
class Adjective:
    english: str
    masculine: str
    feminine: str

    def agree(self, noun: Noun, plural: bool) -> str:
        form = self.feminine if noun.feminine else self.masculine
        return f"{form}s" if plural and not form.endswith("s") else form


@dataclass(frozen=True, slots=True)
class Verb:
    singular: str
    plural: str
    french: str
    french_plural: str


ANIMALS = (
    Noun("horse", "horses", "cheval", "chevaux", False),
    Noun("cat", "cats", "chat", "chats", False),
    Noun("dog", "dogs", "chien", "chiens", False),
    Noun("rabbit", "rabbits", "lapin", "lapins", False),
    Noun("wolf", "wolves", "loup", "loups", False),
    Noun("cow", "cows", "vache", "vaches", True),
    Noun("mouse", "mice", "souris", "souris", True),
    Noun("goat", "goats", "chèvre", "chèvres", True),
    Noun("hen", "hens", "poule", "poules", True),
)
THINGS = (
    Noun("boat", "boats", "bateau", "bateaux", False),
    Noun("hat", "hats", "chapeau", "chapeaux", False),
    Noun("car", "cars", "voiture", "voitures", True),
    Noun("house", "houses", "maison", "maisons", True),
    Noun("flower", "flowers", "fleur", "fleurs", True),
)
SIZES = (  # before the French noun
    Adjective("small", "petit", "petite"),
    Adjective("big", "grand", "grande"),
    Adjective("pretty", "joli", "jolie"),
)
COLOURS = (  # after it
    Adjective("white", "blanc", "blanche"),
    Adjective("black", "noir", "noire"),
    Adjective("red", "rouge", "rouge"),
    Adjective("green", "vert", "verte"),
    Adjective("blue", "bleu", "bleue"),
    Adjective("grey", "gris", "grise"),
)
VERBS = (
    Verb("sees", "see", "voit", "voient"),
    Verb("follows", "follow", "suit", "suivent"),
    Verb("finds", "find", "trouve", "trouvent"),
    Verb("watches", "watch", "regarde", "regardent"),
    Verb("looks for", "look for", "cherche", "cherchent"),
)
DETERMINERS = (  # English, masculine, feminine; in the singular
    ("a", "un", "une"),
    ("the", "le", "la"),
    ("this", "ce", "cette"),
)
PLURAL_DETERMINERS = (
    ("the", "les"),
    ("these", "ces"),
    ("two", "deux"),
    ("three", "trois"),
)
CONJUNCTIONS = (("and", "et"), ("but", "mais"), ("when", "quand"), ("then", "puis"))

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ORDINALS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth"),
    *("seventeenth", "eighteenth", "nineteenth", "twentieth", "twenty-first", "twenty-second"),
    *("twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth", "twenty-seventh"),
    *("twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first"),
)
FIRST_DAY, LAST_DAY = date(1950, 1, 1), date(2029, 12, 31)
SPELLINGS: tuple[Callable[[date], str], ...] = (
    lambda day: f"the {ORDINALS[day.day - 1]} of {MONTHS[day.month - 1]} {day.year}",
    lambda day: f"{day.day} {MONTHS[day.month - 1]} {day.year}",
    lambda day: f"{MONTHS[day.month - 1]} {day.day}, {day.year}",
    lambda day: f"the {day.day}{_suffix(day.day)} of {MONTHS[day.month - 1]} {day.year}",
    lambda day: f"{WEEKDAYS[day.weekday()]}, {day.day} {MONTHS[day.month - 1]} {day.year}",
)


def known_words() -> str:
    """Return the English words of the grammar, separated by spaces."""
    nouns = [form for noun in ANIMALS + THINGS for form in (noun.singular, noun.plural)]
    verbs = [form for verb in VERBS for form in (verb.singular, verb.plural)]
    adjectives = [adjective.english for adjective in SIZES + COLOURS]
    articles = [words[0] for words in (*DETERMINERS, *PLURAL_DETERMINERS)]
    conjunctions = [english for english, _ in CONJUNCTIONS]
    return " ".join(dict.fromkeys([*articles, *adjectives, *nouns, *verbs, *conjunctions]))


def generate_dates(seed: int) -> Iterator[Pair]:
    """Yield different dates in words and in the ISO form, such as 1998-05-03."""
    draws, seen = random.Random(seed), set[str]()  # noqa: S311 — not for secrets
    while True:
        day = FIRST_DAY + timedelta(days=draws.randrange((LAST_DAY - FIRST_DAY).days + 1))
        written = draws.choice(SPELLINGS)(day)
        if written not in seen:
            seen.add(written)
            yield written, day.isoformat()


def generate_sentences(seed: int) -> Iterator[Pair]:
    """Yield different English sentences and their translations, of up to four clauses.

    One in five is a noun phrase only, such as "a white horse".
    """
    draws, seen = random.Random(seed), set[str]()  # noqa: S311 — not for secrets
    while True:
        english, french = _sentence(draws, draws.randint(0, CLAUSES))
        if english not in seen:
            seen.add(english)
            yield english, french


def _sentence(draws: random.Random, clauses: int) -> Pair:
    if not clauses:
        english, french, _ = _noun_phrase(draws, ANIMALS + THINGS)
        return english, french
    parts = [_clause(draws)]
    while len(parts) < 2 * clauses - 1:
        parts += [draws.choice(CONJUNCTIONS), _clause(draws)]
    return " ".join(english for english, _ in parts), " ".join(french for _, french in parts)


def _clause(draws: random.Random) -> Pair:
    subject, french_subject, plural = _noun_phrase(draws, ANIMALS)
    verb = draws.choice(VERBS)
    seen, french_seen, _ = _noun_phrase(draws, ANIMALS + THINGS)
    verbs = (verb.plural, verb.french_plural) if plural else (verb.singular, verb.french)
    return f"{subject} {verbs[0]} {seen}", f"{french_subject} {verbs[1]} {french_seen}"


def _noun_phrase(draws: random.Random, nouns: Sequence[Noun]) -> tuple[str, str, bool]:
    """Return a noun phrase, its translation, and whether it is plural."""
    noun, plural = draws.choice(nouns), draws.random() < 0.4
    size = draws.choice(SIZES) if draws.random() < 0.4 else None
    colour = draws.choice(COLOURS) if draws.random() < 0.6 else None
    if plural:
        article, french_article = draws.choice(PLURAL_DETERMINERS)
    else:
        article, masculine, feminine = draws.choice(DETERMINERS)
        french_article = feminine if noun.feminine else masculine
    adjectives = [adjective for adjective in (size, colour) if adjective is not None]
    english = [article, *(adjective.english for adjective in adjectives)]
    english.append(noun.plural if plural else noun.singular)
    french = [french_article]
    if size is not None:
        french.append(size.agree(noun, plural))
    french.append(noun.french_plural if plural else noun.french)
    if colour is not None:
        french.append(colour.agree(noun, plural))
    return " ".join(english), " ".join(french), plural


def _suffix(day: int) -> str:
    """Return the ending of a written ordinal: 1st, 2nd, 3rd, 4th, 11th."""
    return "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
