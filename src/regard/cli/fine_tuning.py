"""Report of fine-tuning: the scores before and after, and their gate."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from regard.bundle.bundle import bundle_tokenizer
from regard.cli.corpus_options import columns_setting, languages_setting
from regard.cli.options import UsageError
from regard.cli.train_options import ComparisonArguments
from regard.config.data import CorpusConfig
from regard.data.loading.shards import PreparedData
from regard.errors import FAILED_CHECK
from regard.evaluate.compare import apply_gate, check_gate, parse_gate
from regard.evaluate.report import draw_changes, verdict_line
from regard.tasks.base import task_for
from regard.tasks.bundles import bundle_config
from regard.tasks.translation.bundle_parts import read_languages
from regard.tasks.translation.pairs import (
    compare_with_parent,
    held_out_pairs,
    read_all_pairs,
    read_valid,
    write_comparison,
)
from regard.text.tagged_tokenizer import language_tag

if TYPE_CHECKING:
    from regard.bundle.bundle import Bundle
    from regard.config.run import RunConfig
    from regard.evaluate.compare import Gate
    from regard.tasks.training import RunDirectory
    from regard.tasks.translation.pairs import Pairs


@dataclass(frozen=True, slots=True)
class FineTuningReport:
    """Compares a fine-tuned translation model with the bundle that it started from."""

    parent: Bundle
    test: list[str] | None
    general: list[str] | None
    columns: tuple[str, str] | None
    languages: tuple[str, str] | None
    gates: list[Gate]

    @classmethod
    def from_options(
        cls,
        parent: Bundle | None,
        arguments: ComparisonArguments,
        columns: tuple[str, str] | None,
        languages: tuple[str, str] | None,
    ) -> FineTuningReport | None:
        """Return the report, or None if there is nothing to compare with."""
        test, general, gates = arguments.test_files, arguments.general_files, arguments.gate
        if gates and general is None:
            raise UsageError("--gate needs --general SOURCE TARGET.")
        if parent is None:
            if arguments.files:
                raise UsageError(
                    "--test, --test-file, --general and --general-file need --from MODEL."
                )
            return None
        if not task_for(bundle_config(parent)).supports_comparison:
            if arguments.files:
                raise UsageError("--test and --general are for translation models. Leave them out.")
            return None
        parsed = [check_gate(parse_gate(text)) for text in gates or []]
        return cls(parent, test, general, columns, languages, parsed)

    def show(self, run: RunConfig, directory: RunDirectory) -> None:
        """Print and save the scores. Raises typer.Exit with status 3 if a gate fails."""
        sets = self._sets(run, directory)
        console = Console(stderr=True)
        with console.status("comparing with the model before fine-tuning"):
            changes = compare_with_parent(self.parent, directory.model, sets)
        write_comparison(directory.path, changes)
        draw_changes(changes, console)
        general = next((change for change in changes if change.name == "general"), None)
        verdicts = [] if general is None else [apply_gate(gate, general) for gate in self.gates]
        for verdict in verdicts:
            print(f"regard: {verdict_line(verdict)}", file=sys.stderr)
        if not all(verdict.passed for verdict in verdicts):
            raise typer.Exit(FAILED_CHECK)

    def _sets(self, run: RunConfig, directory: RunDirectory) -> dict[str, Pairs]:
        if self.test is not None:
            sets = {"test": self._read(self.test)}
        elif run.data.valid:
            sets = {"validation": read_valid(run.data)}
        else:
            prepared = PreparedData.open(str(directory.data))
            sets = {"validation": held_out_pairs(prepared, run.data)}
        return sets if self.general is None else sets | {"general": self._read(self.general)}

    def _read(self, files: list[str]) -> Pairs:
        config = CorpusConfig.model_validate(
            {
                "files": files,
                **columns_setting(self.columns, files),
                **languages_setting(self.languages),
            }
        )
        return read_all_pairs(config.build("test"), config.languages)


def languages_of_bundle(bundle: Bundle | None) -> tuple[str, str] | None:
    """Return the languages of a bundle to fine-tune whose vocabulary has a tag of the target."""
    pair = None if bundle is None else read_languages(bundle).only_pair
    if bundle is None or pair is None or language_tag(pair[1]) not in bundle_tokenizer(bundle).tags:
        return None
    return pair
