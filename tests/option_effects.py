"""What every option of every command does: a table that a test runs.

An entry names a parameter of a command in one of its modes, and says what must happen if it is
given: the output or a file changes, the command refuses it by name, or the output is the same
because the option is about speed. A parameter without an entry fails the test.

The commands run in a folder that `write_inputs` fills.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Words = tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """A parameter that is added to the words of a command, or exchanged in them."""

    kind: Literal["effect", "refused", "same", "elsewhere"]
    add: Words = ()
    also: Words = ()  # words that it needs: they are in the command without it, too
    swap: Mapping[str, str] = field(default_factory=dict)
    drop: Words = ()
    why: str = ""

    def before(self, words: Words) -> Words:
        return (*words, *self.also)

    def after(self, words: Words) -> Words:
        changed = [self.swap.get(word, word) for word in words if word not in self.drop]
        return (*changed, *self.also, *self.add)


@dataclass(frozen=True)
class Use:
    """A command in one of its modes."""

    words: Words
    entries: Mapping[str, Entry]
    slow: bool = False


def effect(*add: str, also: Words = ()) -> Entry:
    return Entry("effect", add, also)


def exchange(old: str, new: str, also: Words = ()) -> Entry:
    return Entry("effect", swap={old: new}, also=also)


def without(*drop: str) -> Entry:
    return Entry("effect", drop=drop)


def same(*add: str, why: str) -> Entry:
    return Entry("same", add, why=why)


def elsewhere(path: str) -> Entry:
    """An option whose effect another test shows; the test must name the option."""
    return Entry("elsewhere", why=path)


def refused(*options: str) -> dict[str, Entry]:
    """Entries of options that are refused, each as `parameter --option value …`."""
    entries = {}
    for option in options:
        name, *words = option.split()
        entries[name] = Entry("refused", tuple(words))
    return entries


NO_ALIGNER = "is the default of a bundle without a word aligner"
SPEED = "changes the speed only: the same bytes are a promise"

# -- options that several modes share ------------------------------------------------------------

SAMPLING = {
    "sample": effect("--sample", "--temperature", "5"),
    "temperature": effect("--temperature", "9", also=("--sample",)),
    "top_k": effect("--top-k", "1", also=("--sample", "--temperature", "9")),
    "top_p": effect("--top-p", "0.01", also=("--sample", "--temperature", "9")),
    "seed": effect("--seed", "7", also=("--sample", "--temperature", "9")),
}
SEARCH = {
    "beam_size": effect("--beam-size", "1"),
    "length_penalty": effect("--length-penalty", "0"),
}
TEXTS = {
    **SAMPLING,
    **SEARCH,
    "n_best": effect("--n-best", "3"),
    "prefix": effect("--prefix", "dog"),
    "min_length": effect("--min-length", "40"),
    "no_repeat_ngram": effect("--no-repeat-ngram", "1"),
    "forbid": elsewhere("tests/unit/tasks/test_search_options.py"),
    "align": effect("--align"),
    "align_with": effect("--align-with", "attention"),
    "check": effect("--check"),
}
MODEL = {
    "model": exchange("model", "other"),
    "ensemble": effect("--ensemble", "other"),
    "engine": effect("--engine", "invariant"),
}
NO_SERVER = refused("server_model --server-model m", "key --key k")
NO_DOCUMENT = refused(
    "keep --keep dog",
    "terms --terms terms.tsv",
    "memory --memory memory.tmx",
    "min_match --min-match 0.9",
    "languages --languages en-fr",
    "bilingual --bilingual b.po",
    "report --report r.json",
)
NO_JOB = refused(
    "column --column 1",
    "runner --runner local",
    "workers --workers 1",
    "address --address auto",
    "part --part 1/2",
)
NO_SAMPLING = refused(
    "temperature --temperature 2", "top_k --top-k 2", "top_p --top-p 0.5", "seed --seed 2"
)
TO = Entry("effect", ("--to", "de"), swap={"model": "multilingual"}, why="another model")

TRANSLATE = {
    "texts": Use(
        ("translate", "model", "A dog runs.", "--json"),
        {
            **(MODEL | TEXTS | NO_SERVER | NO_DOCUMENT | NO_JOB),
            "texts": exchange("A dog runs.", "Go!"),
            "out": effect("--out", "out"),
            "to": TO,
            "as_json": without("--json"),
            **refused("source --source lines.en", "format --format lines"),
            "server": Entry("refused", ("--server", "http://127.0.0.1:9")),
        },
    ),
    "lines": Use(
        ("translate", "model", "--source", "lines.en", "--json"),
        {
            **(MODEL | TEXTS | NO_SERVER | NO_DOCUMENT),
            **refused("address --address auto", "texts two_texts.html"),
            "source": exchange("lines.en", "other.en"),
            "out": effect("--out", "out"),
            "to": TO,
            "as_json": without("--json"),
            "format": same("--format", "lines", why="is the format of lines"),
            "server": Entry("refused", ("--server", "http://127.0.0.1:9")),
            "column": elsewhere("tests/unit/cli/test_corpus_commands.py"),
            "runner": same("--runner", "local", why=SPEED),
            "workers": same("--workers", "1", why=SPEED),
            "part": elsewhere("tests/distributed/test_shares.py"),
        },
        slow=True,
    ),
    "job": Use(
        ("translate", "model", "--source", "lines.en.gz", "--out", "out", "--json"),
        {
            **(MODEL | TEXTS | NO_SERVER | NO_DOCUMENT),
            **refused("address --address auto", "texts two_texts.html"),
            "source": exchange("lines.en.gz", "other.en.gz"),
            "out": exchange("out", "new"),
            "to": TO,
            "as_json": without("--json"),
            "format": same("--format", "lines", why="is the format of lines"),
            "server": Entry("refused", ("--server", "http://127.0.0.1:9")),
            "column": elsewhere("tests/unit/cli/test_corpus_commands.py"),
            "runner": same("--runner", "local", why=SPEED),
            "workers": same("--workers", "1", why=SPEED),
            "part": elsewhere("tests/distributed/test_shares.py"),
        },
        slow=True,
    ),
    "document": Use(
        ("translate", "model", "--source", "page.html", "--out", "out.html"),
        {
            **(MODEL | NO_SERVER | NO_JOB | NO_SAMPLING),
            "beam_size": elsewhere("tests/server/test_documents.py"),
            "length_penalty": elsewhere("tests/server/test_documents.py"),
            "engine": same("--engine", "invariant", why="rarely another translation"),
            "source": exchange("page.html", "other.html"),
            "out": exchange("out.html", "new.html"),
            "to": TO,
            "format": effect("--format", "text"),
            "keep": effect("--keep", "runs"),
            "terms": effect("--terms", "terms.tsv", also=("--languages", "en-fr")),
            "memory": effect("--memory", "memory.tmx", also=("--languages", "en-fr")),
            "min_match": effect(
                "--min-match", "0.3", also=("--memory", "memory.tmx", "--languages", "en-fr")
            ),
            "languages": effect("--languages", "en-fr"),
            "bilingual": effect("--bilingual", "b.po"),
            "report": effect("--report", "r.json"),
            "check": same("--check", why="no segment of this page needs review"),
            "align_with": same("--align-with", "attention", why=NO_ALIGNER),
            **refused(
                "texts two_texts.html",
                "n_best --n-best 2",
                "prefix --prefix dog",
                "min_length --min-length 5",
                "no_repeat_ngram --no-repeat-ngram 2",
                "forbid --forbid a",
                "sample --sample",
                "align --align",
                "as_json --json",
                "column --column text",
            ),
            "server": Entry("refused", ("--server", "http://127.0.0.1:9")),
        },
    ),
}

_SERVED = "tests/server/test_client.py"
_NO_BUNDLE = refused(
    "engine --engine torch", "ensemble --ensemble other", "align_with --align-with aligner"
)
SERVER = {
    "server texts": Use(
        ("translate", "--server", "http://127.0.0.1:9", "A dog."),
        {
            **(NO_DOCUMENT | NO_JOB | _NO_BUNDLE | NO_SAMPLING),
            **{
                name: elsewhere(_SERVED)
                for name in (
                    *("server", "server_model", "key", "to", "beam_size", "n_best", "prefix"),
                    *("length_penalty", "min_length", "no_repeat_ngram", "forbid", "sample"),
                    *("align", "check", "as_json", "out", "texts"),
                )
            },
            "model": Entry("refused", swap={"A dog.": "model"}),
            **refused("source --source lines.en", "format --format lines"),
        },
    ),
    "server document": Use(
        ("translate", "--server", "http://127.0.0.1:9", "--source", "page.html", "--out", "o.html"),
        {
            **(NO_JOB | _NO_BUNDLE | NO_SAMPLING),
            **{
                name: elsewhere("tests/server/test_documents.py")
                for name in (
                    *("server", "server_model", "key", "to", "beam_size", "length_penalty"),
                    *("source", "out", "format", "keep", "report", "bilingual", "check"),
                )
            },
            "model": Entry("refused", ("model",)),
            **refused(
                "texts A",
                "terms --terms terms.tsv",
                "memory --memory memory.tmx",
                "min_match --min-match 0.9",
                "languages --languages en-fr",
                "n_best --n-best 2",
                "prefix --prefix dog",
                "min_length --min-length 5",
                "no_repeat_ngram --no-repeat-ngram 2",
                "forbid --forbid a",
                "sample --sample",
                "align --align",
                "as_json --json",
            ),
        },
    ),
}

# -- evaluate ------------------------------------------------------------------------------------

_ALIGNMENT_OPTIONS = ("links --links links", "target --target lines.de", "one_based --one-based")
_TRANSLATION_OPTIONS = (
    "outputs --outputs lines.de",
    "reference --reference lines.de",
    "by_length --by-length",
    "figure --figure f.svg",
    "out --out out",
)
_OTHER_TASKS = refused(
    "text --text lines.en",
    "documents --documents labelled.jsonl",
    "images --images pairs.jsonl",
    "columns --columns 0 1",
)
EVALUATE = {
    "model": Use(
        ("evaluate", "model", "--source", "lines.en", "--reference", "lines.de", "--json"),
        {
            **_OTHER_TASKS,
            **refused(*_ALIGNMENT_OPTIONS, "align_with --align-with aligner"),
            "alignments": Entry("refused", ("--alignments", "gold")),
            "outputs": Entry("refused", ("--outputs", "lines.de")),
            "model": exchange("model", "other"),
            "source": exchange("lines.en", "other.en"),
            "reference": exchange("lines.de", "other.de"),
            "to": TO,
            "by_length": effect("--by-length"),
            "figure": effect("--figure", "f.svg"),
            "beam_size": effect("--beam-size", "20", also=("--out", "o")),
            "out": effect("--out", "out"),
            "as_json": without("--json"),
        },
    ),
    "outputs": Use(
        (
            *("evaluate", "--outputs", "other.de", "--source", "lines.en"),
            *("--reference", "lines.de", "--json"),
        ),
        {
            **_OTHER_TASKS,
            **refused(*_ALIGNMENT_OPTIONS, "align_with --align-with aligner"),
            **refused("to --to de", "beam_size --beam-size 2", "out --out out", "model model"),
            "alignments": Entry("refused", ("--alignments", "gold")),
            "outputs": exchange("other.de", "lines.de"),
            "source": exchange("lines.en", "long.en", also=("--by-length",)),
            "reference": exchange("lines.de", "lines.en"),
            "by_length": effect("--by-length"),
            "figure": effect("--figure", "f.svg"),
            "as_json": without("--json"),
        },
    ),
    "alignments": Use(
        (
            *("evaluate", "model", "--alignments", "gold", "--source", "lines.en"),
            *("--target", "lines.de", "--json"),
        ),
        {
            **_OTHER_TASKS,
            **refused(*_TRANSLATION_OPTIONS, "beam_size --beam-size 2"),
            "links": Entry("refused", ("--links", "links")),
            "model": exchange("model", "other"),
            "alignments": exchange("gold", "other-gold"),
            "source": exchange("lines.en", "similar.en"),
            "target": exchange("lines.de", "words.de"),
            "align_with": same("--align-with", "attention", why=NO_ALIGNER),
            "one_based": effect("--one-based"),
            "to": TO,
            "as_json": without("--json"),
        },
    ),
    "links": Use(
        ("evaluate", "--alignments", "gold", "--links", "links", "--json"),
        {
            **_OTHER_TASKS,
            **refused(*_TRANSLATION_OPTIONS, "beam_size --beam-size 2", "to --to de"),
            **refused("model model", "source --source lines.en", "target --target lines.de"),
            **refused("align_with --align-with attention"),
            "alignments": exchange("gold", "other-gold"),
            "links": exchange("links", "other-links"),
            "one_based": effect("--one-based"),
            "as_json": without("--json"),
        },
    ),
    "documents": Use(
        ("evaluate", "classifier", "--documents", "labelled.jsonl", "--json"),
        {
            **refused(*_TRANSLATION_OPTIONS, *_ALIGNMENT_OPTIONS, "beam_size --beam-size 2"),
            **refused("align_with --align-with aligner", "to --to de", "source --source lines.en"),
            "text": Entry("refused", ("--text", "lines.en")),
            "images": Entry("refused", ("--images", "labelled.jsonl")),
            "alignments": Entry("refused", ("--alignments", "gold")),
            "model": exchange("classifier", "other-classifier"),
            "documents": exchange("labelled.jsonl", "relabelled.jsonl"),
            "columns": effect("--columns", "text", "other"),
            "as_json": without("--json"),
        },
    ),
}

# -- further commands ----------------------------------------------------------------------------

OTHERS = {
    "complete": Use(
        ("complete", "language", "A dog", "--max-new-tokens", "8", "--json"),
        {
            **SAMPLING,
            "model": exchange("language", "other-language"),
            "prompts": exchange("A dog", "Two"),
            "max_new_tokens": exchange("8", "4"),
            "out": effect("--out", "out"),
            "as_json": without("--json"),
        },
    ),
    "complete without sampling": Use(
        ("complete", "language", "A dog", "--max-new-tokens", "8"), NO_SAMPLING
    ),
    "translate without sampling": Use(("translate", "model", "A dog."), NO_SAMPLING),
    "translate with sampling": Use(
        ("translate", "model", "A dog.", "--sample"), refused("beam_size --beam-size 2")
    ),
    "align": Use(
        ("align", "model", "--source", "lines.en", "--target", "lines.de"),
        {
            "model": exchange("model", "aligner"),
            "source": exchange("lines.en", "words.en"),
            "target": exchange("lines.de", "other.de"),
            "out": effect("--out", "out"),
            "columns": Entry("refused", ("--columns", "0", "1")),
            "to": TO,
            "save": Entry("refused", ("--save", "saved")),
            "align_with": same("--align-with", "attention", why=NO_ALIGNER),
            "reverse": effect("--reverse", "other"),
            "symmetrize": effect("--symmetrize", "intersection", also=("--reverse", "other")),
            "pretokenized": effect("--pretokenized"),
            "as_json": effect("--json"),
            "runner": same("--runner", "local", why=SPEED),
            "workers": same("--workers", "1", why=SPEED),
            "address": Entry("refused", ("--address", "auto", "--out", "out")),
            "part": Entry("refused", ("--part", "1/2")),  # without --out; test_shares.py
        },
    ),
    "align with an aligner": Use(
        ("align", "aligner", "--source", "lines.en", "--target", "lines.de"),
        refused(
            "to --to de",
            "save --save saved",
            "align_with --align-with aligner",
            "reverse --reverse other",
            "symmetrize --symmetrize intersection",
        ),
    ),
    "align without an aligner": Use(
        ("align", "--source", "lines.en", "--target", "lines.de", "--out", "out"),
        refused("part --part 1/2"),
    ),
    "join": Use(("join", "out"), {"out": elsewhere("tests/distributed/test_shares.py")}),
    "score": Use(
        ("score", "model", "--source", "lines.en", "--target", "lines.de"),
        {
            "model": exchange("model", "other"),
            "source": exchange("lines.en", "other.en"),
            "target": exchange("lines.de", "other.de"),
            "out": effect("--out", "out"),
            "columns": Entry("refused", ("--columns", "0", "1")),
            "to": TO,
            "reverse": effect("--reverse", "other"),
            "check": effect("--check"),
            "as_json": effect("--json"),
            "runner": same("--runner", "local", why=SPEED),
            "workers": same("--workers", "1", why=SPEED),
            "address": Entry("refused", ("--address", "auto", "--out", "out")),
            "part": Entry("refused", ("--part", "1/2")),  # without --out; test_shares.py
        },
    ),
    "classify": Use(
        ("classify", "classifier", "lines.en"),
        {
            "model": exchange("classifier", "other-classifier"),
            "files": exchange("lines.en", "long.en", also=("--json",)),
            "html": effect("--html", "out.html"),
            "out": effect("--out", "out"),
            "as_json": effect("--json"),
        },
    ),
    "compare": Use(
        ("compare", "model", "other", "--source", "lines.en", "--reference", "lines.de", "--json"),
        {
            "systems": exchange("other", "lines.de"),
            "source": exchange("lines.en", "other.en"),
            "reference": exchange("lines.de", "other.de"),
            "gate": effect("--gate", "bleu=-0.3"),
            "to": Entry("refused", ("--to", "de")),
            "beam_size": effect("--beam-size", "1"),
            "html": effect("--html", "out.html"),
            "as_json": without("--json"),
        },
    ),
    "compare files": Use(
        ("compare", "lines.de", "other.de", "--source", "lines.en", "--reference", "lines.de"),
        refused("to --to de", "beam_size --beam-size 2"),
    ),
    "describe": Use(
        ("describe", "bahdanau"),
        {
            "name": exchange("bahdanau", "transformer"),
            "set_": effect("--set", "model.decoder.dim=256"),
            "vocabulary": effect("--vocabulary", "100"),
            "as_json": effect("--json"),
        },
    ),
    "describe a bundle": Use(
        ("describe", "model"), refused("set_ --set train.steps=1", "vocabulary --vocabulary 9")
    ),
    "describe the presets": Use(
        ("describe",), refused("set_ --set train.steps=1", "vocabulary --vocabulary 9")
    ),
    "doctor": Use(
        ("doctor", "lines.en", "lines.de", "--json"),
        {
            "train": exchange("lines.de", "other.de"),
            "test": effect("--test", "lines.en", "lines.de"),
            "test_file": effect("--test-file", "pairs.tsv"),
            "valid": effect("--valid", "lines.en", "lines.de"),
            "valid_file": effect("--valid-file", "pairs.tsv"),
            "columns": Entry("refused", ("--columns", "0", "1")),
            "model": effect("--model", "bahdanau"),
            "html": effect("--html", "out.html"),
            "as_json": without("--json"),
        },
    ),
    "explain": Use(
        ("explain", "model", "A dog runs.", "--out", "out.json"),
        {
            "inputs": exchange("A dog runs.", "Go!"),
            "out": exchange("out.json", "out.html"),
            "open_page": Entry("refused", ("--open",)),
            "target": effect("--target", "Two cats."),
            "to": TO,
            "attention": effect("--attention", "decoder.blocks.0.self_attention"),
            "head": effect("--head", "2"),
            "gold": effect("--gold", "0-0"),
            "live": Entry("refused", ("--live",)),
        },
    ),
    "export": Use(
        ("export", "model", "--to", "huggingface", "--out", "exported"),
        {
            **refused(
                "int8 --int8",
                "source --source lines.en",
                "reference --reference lines.de",
                "target_language --target-language de",
            ),
            **{
                name: elsewhere("tests/unit/interop/test_exporting.py")
                for name in ("model", "to", "out")
            },
            "as_json": elsewhere("tests/unit/inference/test_ctranslate2.py"),
        },
    ),
    "export to ctranslate2": Use(
        ("export", "model", "--to", "ctranslate2"),
        refused("reference --reference lines.de", "target_language --target-language de"),
    ),
    "plan": Use(
        ("plan", "model", "--source", "lines.en", "--pairs", "1e6", "--json"),
        {
            **refused("peak --peak 2", "p99 --p99 100"),
            "requests_per_day": Entry("refused", ("--requests-per-day", "100")),
            **{
                name: elsewhere("tests/server/test_planning.py")
                for name in ("model", "source", "pairs", "hours", "cores", "price")
            },
            "engine": elsewhere("tests/server/test_planning.py"),
            "as_json": elsewhere("tests/server/test_planning.py"),
        },
    ),
    "plan of a fleet": Use(
        ("plan", "model", "--source", "lines.en", "--requests-per-day", "9", "--p99", "99"),
        refused("hours --hours 2"),
    ),
    "study": Use(
        ("study", "mechanisms", "--show"),
        refused("out --out out", "data --data data", "jobs --jobs 2", "quick --quick"),
    ),
    "train with --finish": Use(
        ("train", "--finish", "--out", "run"),
        refused(
            "config run.yaml",
            "preset --preset bahdanau",
            "source --source lines.en",
            "target --target lines.de",
            "text --text lines.en",
            "documents --documents labelled.jsonl",
            "images --images labelled.jsonl",
            "columns --columns 0 1",
            "languages --languages en-de",
            "valid --valid lines.en lines.de",
            "valid_file --valid-file pairs.tsv",
            "from_ --from model",
            "mix --mix lines.en lines.de",
            "mix_file --mix-file pairs.tsv",
            "test --test lines.en lines.de",
            "test_file --test-file pairs.tsv",
            "general --general lines.en lines.de",
            "general_file --general-file pairs.tsv",
            "gate --gate bleu=-1",
            "minutes --minutes 2",
            "set_ --set train.steps=2",
            "workers --workers 2",
            "accept_changes --accept-changes",
            "tensorboard --tensorboard",
            "mlflow --mlflow",
            "wandb --wandb",
        ),
    ),
    "train": Use(
        ("train", "--preset", "bahdanau", "--source", "lines.en", "--target", "lines.de"),
        refused(
            "columns --columns 0 1",
            "test --test lines.en lines.de",
            "test_file --test-file pairs.tsv",
            "general --general lines.en lines.de",
            "general_file --general-file pairs.tsv",
            "gate --gate bleu=-1",
            "text --text lines.en",
            "documents --documents labelled.jsonl",
            "images --images labelled.jsonl",
        ),
    ),
    "prepare": Use(
        ("prepare", "lines.en", "lines.de", "--out", "data", "--vocabulary", "300"),
        refused("columns --columns 0 1", "address --address auto"),
    ),
}

USES = {
    **{f"translate {name}": use for name, use in TRANSLATE.items()},
    **{f"translate {name}": use for name, use in SERVER.items()},
    **{f"evaluate {name}": use for name, use in EVALUATE.items()},
    **OTHERS,
}
COMPLETE = (
    {
        name
        for name in USES
        if name.startswith(("translate ", "evaluate ")) and "sampling" not in name
    }
    | {"complete", "align", "join", "score", "classify", "compare", "describe", "doctor", "explain"}
    | {
        "export",
        "plan",
    }
)
"""The uses that have an entry for every parameter of the command."""

LONG = {
    "caption": "tests/unit/tasks/test_captioning.py",
    "demo": "tests/unit/studies/test_demo.py",
    "import": "tests/unit/interop/test_import_huggingface.py",
    "key add": "tests/server/test_keys.py",
    "key list": "tests/server/test_keys.py",
    "key revoke": "tests/server/test_keys.py",
    "mcp": "tests/server/test_mcp.py",
    "prepare": "tests/unit/data/test_prepare.py",
    "serve": "tests/server",
    "settings": "tests/unit/test_generated_reference.py",
    "study": "tests/unit/studies/test_studies.py",
    "train": "tests/unit",
}
"""The commands that train, serve or draw: where their options are tested."""

NO_TEST = {
    *(("translate", "forbid"), ("translate", "server_model")),  # with --server
    *(("plan", "hours"), ("plan", "price"), ("prepare", "target_vocabulary")),
    *(("import", "source_language"), ("import", "target_language"), ("serve", "insecure")),
}
"""Options whose effect no test shows yet. The list may only become shorter."""

# -- inputs --------------------------------------------------------------------------------------

ENGLISH = ["A dog runs.", "Two cats run away.", "A man sees a dog.", "A cat sees two men.", "Go!"]
GERMAN = ["Two cats run.", "A dog.", "A man sees two dogs.", "Cats see men.", "Go away!"]


def write_inputs(folder: Path) -> None:
    """Write the files that the words of USES name, except models."""

    def write(name: str, *lines: str) -> None:
        (folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")

    write("lines.en", *ENGLISH)
    write("lines.de", *GERMAN)
    write("other.en", *ENGLISH[::-1])
    write("other.de", *GERMAN[::-1])
    write("long.en", *(" ".join([line] * 9) for line in ENGLISH))
    write("words.en", "A dog runs .", *ENGLISH[1:])
    write("similar.en", *["Two men go home."] * 4, "Go!")
    write("words.de", "Two cats run .", *GERMAN[1:])
    (folder / "lines.en.gz").write_bytes(gzip.compress((folder / "lines.en").read_bytes()))
    (folder / "other.en.gz").write_bytes(gzip.compress((folder / "other.en").read_bytes()))
    write("pairs.tsv", *(f"{a}\t{b}" for a, b in zip(ENGLISH, GERMAN, strict=True)))
    write("gold", "1-1", "1-1", "1-1 2?2", "1-1", "0-1")
    write("other-gold", "1-2", "2-1", "1-1", "1-1 2-2", "0-1")
    write("links", "0-0", "0-0 1-1", "1-1", "1-1", "0-0")
    write("other-links", "0-0", "0-1", "1-1", "1-0", "0-1")
    page = '<html lang="en"><body><p>A <b>dog</b> runs.</p><p>Two cats run away.</p></body></html>'
    write("page.html", page)
    write("other.html", page.replace("Two cats", "A man").replace("</body>", "<p>Go!</p></body>"))
    write("terms.tsv", "dog\thund")
    write(
        "memory.tmx",
        '<tmx version="1.4"><body><tu><tuv xml:lang="en"><seg>Two cats run away.</seg></tuv>',
        '<tuv xml:lang="fr"><seg>Zwei Katzen</seg></tuv></tu>',
        '<tu><tuv xml:lang="en"><seg>A dog ran off.</seg></tuv>',
        '<tuv xml:lang="fr"><seg>Ein Hund</seg></tuv></tu></body></tmx>',
    )
    rows = [("A dog runs.", "cat"), ("Go!", "dog"), ("Two cats run away.", "cat")]
    for name, shift in (("labelled.jsonl", 0), ("relabelled.jsonl", 1)):
        lines = []
        for number, (text, _) in enumerate(rows):
            label = rows[(number + shift) % 3][1]
            other = rows[(number + 2) % 3][1]
            lines.append(_json({"text": text, "label": label, "other": other}))
        write(name, *lines)


def _json(values: dict[str, str]) -> str:
    import json

    return json.dumps(values)
