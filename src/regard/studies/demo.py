"""The demo: a model with attention and one with a fixed context vector, on generated pairs.

Both models are Bahdanau's. The second sees the last encoder state at every step instead of all of
them, as the model of Cho et al. (2014) does. This is their only difference.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

from regard.align.links import Links
from regard.config.load import load_config
from regard.data import storage
from regard.data.formats.corpus import read_parallel
from regard.evaluate.scores import length_buckets
from regard.explain.page import LiveModels
from regard.explain.record import side_by_side
from regard.studies.measures.measure import Entry, StudyRun, TrainedRun
from regard.tasks.training import RunDirectory
from regard.tasks.translation.translator import Translator

# -- sentence pairs of the demo --------------------------------------------------------------------
# Dates and their ISO form, and a toy grammar of English and French.
#
# In the grammar, most French adjectives follow the noun and all agree with it in gender and number,
# so that the words of a translation are in another order and depend on words further away. Nouns
# and adjectives begin with a consonant, so that no article is elided.


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


def word_links(source: str, target: str) -> Links:
    """Return the links (source word, target word) of a generated sentence pair.

    The words of both sides have the same order, but for colours, which follow the French noun.
    "looks for" is one French word.
    """
    nouns = {form for noun in ANIMALS + THINGS for form in (noun.singular, noun.plural)}
    colours = {colour.english for colour in COLOURS}
    links, french, colour = set[tuple[int, int]](), 0, None
    for english, word in enumerate(source.split()):
        if word in colours:
            colour = english
            continue
        if word == "for":
            french -= 1
        links.add((english, french))
        french += 1
        if word in nouns and colour is not None:
            links.add((colour, french))
            french, colour = french + 1, None
    assert french == len(target.split()), "the pair is from this grammar"
    return Links(links)


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


# -- demo ------------------------------------------------------------------------------------------


SENTENCE = "the small black cat follows two white horses and a big dog watches the red car"
"""The sentence that the demo explains."""
CLAUSES_OF_RACE = (
    ("the small black cat", "le petit chat noir"),
    ("follows two white horses", "suit deux chevaux blancs"),
    ("and a big dog watches the red car", "et un grand chien regarde la voiture rouge"),
    (
        "but these pretty hens look for a green hat",
        "mais ces jolies poules cherchent un chapeau vert",
    ),
    ("when the grey wolf finds three small mice", "quand le loup gris trouve trois petites souris"),
)
RACE = tuple(
    (" ".join(pair[0] for pair in pairs), " ".join(pair[1] for pair in pairs))
    for pairs in (CLAUSES_OF_RACE[: end + 1] for end in range(len(CLAUSES_OF_RACE)))
)
"""Sentences of growing length and their translations, for the race of both models."""
EXAMPLES = (SENTENCE, "these pretty mice look for a green hat", "the 3rd of May 1998")

PRESET = "translate-rnn-tiny"
ENTRIES = (
    Entry("attention", "attention", PRESET),
    Entry("fixed vector", "fixed-vector", PRESET, ("model.decoder.attention.span.kind=last",)),
)
SAVE_EVERY = 100  # steps
EDGES = (5, 10, 15, 20, 25, 30)  # last length, in words, of each row of the table but the last


@dataclass(frozen=True, slots=True)
class DemoSize:
    """Numbers of generated pairs and of training steps."""

    sentences: int  # to train on
    dates: int
    test_sentences: int
    test_dates: int
    steps: int


FULL = DemoSize(sentences=7_000, dates=4_000, test_sentences=600, test_dates=100, steps=500)
QUICK = DemoSize(sentences=60, dates=20, test_sentences=20, test_dates=5, steps=2)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of test sentences that each model translates exactly."""

    kind: str  # such as "6–10 words" or "dates"
    sentences: int
    shares: Mapping[str, float]  # by the name of the model


def write_pairs(folder: Path, size: DemoSize) -> None:
    """Write the training, validation and test pairs, which have no source in common."""
    sentences, dates = generate_sentences(1), generate_dates(1)
    counts = {
        "test": (size.test_sentences, size.test_dates),
        "valid": (size.test_sentences // 4, size.test_dates // 4),
        "train": (size.sentences, size.dates),
    }
    for split, (sentence_count, date_count) in counts.items():
        pairs = [*islice(sentences, sentence_count), *islice(dates, date_count)]
        for side, path in enumerate(pair_files(folder, split)):
            text = "".join(f"{pair[side]}\n" for pair in pairs)
            storage.write_bytes(path, text.encode())


def pair_files(folder: Path, split: str) -> tuple[str, str]:
    """Return the source and target file of a split."""
    return str(folder / "pairs" / f"{split}.source"), str(folder / "pairs" / f"{split}.target")


def demo_runs(folder: Path, size: DemoSize) -> list[StudyRun]:
    """Return the runs of both models on the pairs in `folder`."""
    runs = []
    for entry in ENTRIES:
        settings = {
            "data": {
                "train": [{"files": list(pair_files(folder, "train"))}],
                "valid": {"files": list(pair_files(folder, "valid"))},
                "subword_model": "bpe",
                "vocabulary": 950,  # 256 bytes, and merges until the words of the grammar are whole
                "dedupe": "exact",  # near duplicates differ in digits only, as dates do
                "max_punctuation": 1.0,
            },
            "model": {
                "embedding_dim": 64,
                "encoder": {"dim": 96, "dropout": 0.0},
                "decoder": {"dim": 96, "dropout": 0.0},
            },
            "train": {
                "steps": size.steps,
                "validate_every": size.steps,
                "save_every": min(size.steps, SAVE_EVERY),
                "schedule": {"kind": "linear", "warmup": 0.1},
                "batch_tokens": 1_024,  # learns from fewer tokens than larger batches
                "optimizer": {"rate": 0.005},
                "label_smoothing": 0.0,
            },
            "search": {"beam_size": 3},
        }
        config = load_config(entry.preset, [settings, *entry.settings])
        directory = RunDirectory(folder / entry.stem)
        runs.append(StudyRun(entry, 1, config, directory, pair_files(folder, "test")))
    return runs


def demo_page(models: Mapping[str, Translator]) -> str:
    """Return the page of the models, by name: the race of several, and SENTENCE explained."""
    live = LiveModels(
        [translator.live_model(precision="i8") for translator in models.values()],
        list(models),
        SENTENCE,
        EXAMPLES,
        RACE if len(models) > 1 else (),
    )
    return side_by_side([translator.explain(SENTENCE) for translator in models.values()], live)


def example_pairs(folder: Path) -> list[Pair]:
    """Return a short test sentence and a test date with their references."""
    pairs = list(zip(*read_parallel(*pair_files(folder, "test")), strict=True))
    sentences = [pair for pair in pairs if not pair[1][0].isdigit()]
    dates = [pair for pair in pairs if pair[1][0].isdigit()]
    return [min(sentences, key=lambda pair: abs(len(pair[0].split()) - 4)), dates[0]]


def measure_accuracy(trained: Sequence[TrainedRun]) -> list[Accuracy]:
    """Return the accuracy of the models by the length of the source, and on dates."""
    sources, references = read_parallel(*trained[0].run.test)
    outputs = {run.run.entry.name: run.outputs for run in trained}
    dates = [row for row, reference in enumerate(references) if reference[0].isdigit()]
    sentences = sorted(set(range(len(sources))) - set(dates))
    texts = [sources[row] for row in sentences]
    groups = {
        f"{lengths} words": [sentences[i] for i in rows]
        for lengths, rows in length_buckets(texts, texts, EDGES).items()
    }
    return [
        Accuracy(
            kind,
            len(rows),
            {
                name: sum(lines[row] == references[row] for row in rows) / len(rows)
                for name, lines in outputs.items()
            },
        )
        for kind, rows in {**groups, "dates": dates}.items()
        if rows
    ]
