"""The models of a server: which are loaded, how a request selects one, and how they are replaced.

A model is replaced in three steps: the new version is loaded into every engine process, requests
are switched to it, and the old version is unloaded when its last request has been answered. If a
file is damaged or a process cannot load the model, the old version stays.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from regard.bundle.bundle import Bundle, bundle_tokenizers, open_bundle
from regard.errors import ArtifactError, ConfigError, RegardError
from regard.inference.engine import Splitting
from regard.serve.frames import WorkerAnswer
from regard.serve.pool import WorkerEndedError, WorkerProcess
from regard.tasks.translation.bundle_parts import ModelLanguages, read_languages, read_splitting
from regard.text.tokenizer import Tokenizer

_PAIR = re.compile(r"([a-z]{2,3})[-_]([a-z]{2,3})", re.IGNORECASE)
_NAME = re.compile(r"[\w.-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class ServedModel:
    """One version of a model. `slot` is its number in the engine processes.

    `tokenizer` and `bundled`: of the bundle, for all its languages.
    """

    name: str
    slot: int
    path: Path
    version: str
    tokenizer: Tokenizer  # of the source
    target_tokenizer: Tokenizer
    splitting: Splitting
    engine: str
    beam_size: int
    length_penalty: float
    aligns: bool
    assesses_quality: bool
    bundled: ModelLanguages

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Codes of source and target: the name if it is a pair such as en-de, or the bundle's."""
        pair = _PAIR.fullmatch(self.name)
        if pair is not None:
            return ((pair[1].lower(), pair[2].lower()),)
        return tuple((source, target) for source, target in self.bundled.pairs if source)

    def choose_target(self, wanted: str | None) -> str | None:
        """Return the target language of a request, or None if the bundle has at most one.

        `wanted`: the language that the request names.

        Raises:
            NoModelError: The model does not translate into it, or it is needed and missing.
        """
        targets = self.bundled.targets
        if len(targets) < 2:
            return None
        if wanted is None and len(self.pairs) == 1:
            wanted = self.pairs[0][1]
        choices = f"Name one of: {', '.join(targets)}."
        if wanted is None:
            raise NoModelError(
                f"target_language: {self.name} translates into several languages. {choices}"
            )
        for target in targets:
            if target.lower() == wanted.lower():
                return target
        raise NoModelError(
            f"target_language: {self.name} does not translate into {wanted[:20]!r}. {choices}"
        )

    def source_tokenizer(self, to: str | None) -> Tokenizer:
        """Return the tokenizer of sources that are translated into `to`."""
        return self.bundled.for_target(to).tag_source(self.tokenizer)


class NoModelError(RegardError):
    """A request names a model or a pair of languages that is not served."""


class ModelRegistry:
    """The served models by name. The first is the default.

    Args:
        paths: The folder of each model's bundle.
        engine: Search engine, as for `Translator.load`.
    """

    def __init__(self, paths: dict[str, Path], engine: str) -> None:
        self.paths, self.engine = paths, engine
        self.models: dict[str, ServedModel] = {}
        self._slots = count()
        self._users: dict[int, int] = {}  # requests that use a slot
        self._retired: set[int] = set()
        self._lock = asyncio.Lock()  # one change at a time

    def find(
        self, name: str | None, source: str | None = None, target: str | None = None
    ) -> ServedModel:
        """Return the model that a request selects."""
        if name is not None:
            if name not in self.models:
                raise NoModelError(f"model: {name[:64]!r} is not served. {self._list()}")
            return self.models[name]
        if source is None and target is None:
            return next(iter(self.models.values()))
        for model in self.models.values():
            for pair in model.pairs:
                if all(
                    wanted is None or wanted.lower() == have.lower()
                    for wanted, have in zip((source, target), pair, strict=True)
                ):
                    return model
        raise NoModelError(
            f"source_language {source!r:.20}, target_language {target!r:.20}: no model translates "
            f"this pair. {self._list()}"
        )

    def _list(self) -> str:
        return f"The models are: {', '.join(self.models)}."

    async def prepare(self, worker: WorkerProcess, active: Sequence[WorkerProcess]) -> None:
        """Load all models into a new engine process, before requests reach it.

        `active`: the processes that are in use. If a model's files have changed since they loaded
        it, they load it again.
        """
        async with self._lock:
            for name in self.paths:
                old = self.models.get(name)
                if old is not None and await _loads_version(worker, old, self.engine):
                    continue
                bundle = await asyncio.to_thread(open_bundle, self.paths[name])
                self.models[name] = await self._load(name, bundle, [*active, worker])
                if old is not None:
                    self._retired.add(old.slot)

    async def reload(
        self, workers: Sequence[WorkerProcess], names: Sequence[str] | None = None
    ) -> list[str]:
        """Replace models whose files have changed; return the names of those replaced.

        Raises:
            RegardError: A model cannot be loaded. The models before it have been replaced.
        """
        replaced = []
        async with self._lock:
            for name in names or list(self.models):
                old = self.models[name]
                bundle = await asyncio.to_thread(open_bundle, self.paths[name])
                if bundle.version != old.version:
                    self.models[name] = await self._load(name, bundle, workers)
                    self._retired.add(old.slot)
                    replaced.append(name)
        return replaced

    def use(self, model: ServedModel) -> None:
        """Keep a version loaded until `release`."""
        self._users[model.slot] = self._users.get(model.slot, 0) + 1

    def release(self, model: ServedModel) -> None:
        self._users[model.slot] -= 1
        if not self._users[model.slot]:
            del self._users[model.slot]

    async def unload_unused(self, workers: Sequence[WorkerProcess]) -> None:
        """Unload replaced versions that no request uses any more."""
        if not self._retired - self._users.keys():
            return
        async with self._lock:
            for slot in self._retired - self._users.keys():
                self._retired.discard(slot)
                await _call_all(workers, "unload", slot=slot)

    async def _load(
        self, name: str, bundle: Bundle, workers: Sequence[WorkerProcess]
    ) -> ServedModel:
        path, slot = self.paths[name], next(self._slots)
        tokenizers = bundle_tokenizers(bundle)
        splitting = read_splitting(bundle)
        answers = await _call_all(workers, "load", slot=slot, path=str(path), engine=self.engine)
        try:
            if not answers:
                raise ArtifactError(f"{name}: no engine process is available to load it.")
            for answer in answers:
                _check(answer, name)
                if answer["version"] != bundle.version:
                    raise ArtifactError(f"{path}: changed while it was loaded. Load it again.")
        except RegardError:
            await _call_all(workers, "unload", slot=slot)
            raise
        facts = answers[0]
        return ServedModel(
            name,
            slot,
            path,
            bundle.version,
            *tokenizers,
            splitting,
            facts["engine"],
            facts["beam_size"],
            facts["length_penalty"],
            facts["aligns"],
            facts["assesses_quality"],
            read_languages(bundle),
        )


async def _loads_version(worker: WorkerProcess, model: ServedModel, engine: str) -> bool:
    """Load a model into a process; return whether it is the same version as in the others."""
    answer = await worker.call("load", slot=model.slot, path=str(model.path), engine=engine)
    _check(answer, model.name)
    return bool(answer["version"] == model.version)


async def _call_all(
    workers: Sequence[WorkerProcess], do: str, **arguments: object
) -> list[WorkerAnswer]:
    """Call all processes. One that ends meanwhile is ignored: its replacement loads all models."""
    answers = await asyncio.gather(
        *(worker.call(do, **arguments) for worker in workers), return_exceptions=True
    )
    for answer in answers:
        if isinstance(answer, BaseException) and not isinstance(answer, WorkerEndedError):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]


def _check(answer: WorkerAnswer, name: str) -> None:
    if "error" in answer:
        raise ArtifactError(f"{name}: {answer['error']}")


def parse_models(arguments: Sequence[str]) -> dict[str, Path]:
    """Return the folders of models given as FOLDER or NAME=FOLDER, by name.

    The default name is that of the folder.
    """
    paths: dict[str, Path] = {}
    for argument in arguments:
        name, given, folder = argument.rpartition("=")
        path = Path(folder)
        name = name if given else path.resolve().name
        if not _NAME.fullmatch(name):
            raise ConfigError(
                f"{argument}: {name!r} is not a name. Use letters, digits, '.', '_' and '-', for "
                "example en-de=model/."
            )
        if name in paths:
            raise ConfigError(
                f"{argument}: there are two models with the name {name}. "
                "Name them, for example en-de=model/."
            )
        paths[name] = path
    return paths
