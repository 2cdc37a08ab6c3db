"""Corpus jobs of the commands: their options, their output and their progress."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Literal

import typer

from regard.bounds import WORKERS
from regard.bundle.remote import bundle_digest, fetch_bundle
from regard.cli.options import UsageError
from regard.cli.outputs import atomic_write, check_output
from regard.cli.prepare import open_runner, show_stages
from regard.data import storage
from regard.data.corpus_job import join_parts, output_suffix, run_corpus_job
from regard.data.directory_lock import lock_directory
from regard.data.job_record import JobParts, finished_parts, read_record
from regard.data.ownership import JOB as JOB_DIRECTORY
from regard.data.ownership import check_claim, claim, remove_created
from regard.data.preparation.runner import Share
from regard.errors import ArtifactError
from regard.tasks.translation.translator import Translator

if TYPE_CHECKING:
    from regard.data.corpus_job import BlockFunction, CostEstimate
    from regard.data.formats.corpus import Corpus
    from regard.data.preparation.prepare import ProgressCallback, StageProgress
    from regard.data.preparation.runner import Runner

JOB = "Large corpora"
QUIET = 2.0  # seconds


def parse_share(text: str) -> Share:
    """Return the share of an option such as 3/64."""
    numbers = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if numbers is None:
        raise UsageError(f"--part {text}: write I/N, such as 3/64 for the third of 64 shares.")
    number, count = map(int, numbers.groups())
    if not 1 <= number <= count:
        raise UsageError(
            f"--part {text}: the shares of a job are numbered from 1 to N. Use 1/{max(1, count)} "
            f"to {max(1, count)}/{max(1, count)}."
        )
    return Share(number, count)


@dataclass(frozen=True)
class JobArguments:
    """Where a corpus job runs."""

    runner: Annotated[
        Literal["local", "ray"],
        typer.Option(help="Run on this machine or on a Ray cluster.", rich_help_panel=JOB),
    ] = "local"
    workers: Annotated[
        int,
        typer.Option(
            min=WORKERS.low,
            max=WORKERS.high,
            help="Processes, or cores of the cluster. Each loads the model.",
            rich_help_panel=JOB,
        ),
    ] = 1
    address: Annotated[
        str | None,
        typer.Option(
            help="Address of a running Ray cluster. Default: start Ray on this machine.",
            rich_help_panel=JOB,
        ),
    ] = None
    part: Annotated[
        Share | None,
        typer.Option(
            parser=parse_share,
            metavar="I/N",
            help="Compute share I of N alone, for processes that run anywhere; then `regard join`.",
            rich_help_panel=JOB,
        ),
    ] = None

    def open_runner(self, out: str | None) -> Runner:
        """Return the runner of a job whose output is `out`."""
        if self.address is not None and out is None:
            raise UsageError("--address needs --out, on a disk or in a store that all nodes see.")
        if self.part is not None and _kept_work(out) is None:
            raise UsageError(
                "--part needs --out FILE, on a disk or in a store that the processes of all shares "
                "see."
            )
        return open_runner(self.runner, self.workers, self.address)


OutputFile = Annotated[
    str | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Output file or URL; .gz, .xz, .zst and .parquet determine its format. Default: "
        "standard output.",
    ),
]


def absolute_path(path: str) -> str:
    """Return a path that is valid in every working directory; a URL stays as it is."""
    return path if "://" in path else str(Path(path).absolute())


def check_job_output(out: str | None, *inputs: str | None) -> None:
    """Refuse an output file that cannot be written, or that would replace one of the inputs.

    This includes the directory of the job's parts, `OUT.work`.
    """
    if out is not None and "://" not in out:
        check_output(Path(out), *inputs)
    if (work := _kept_work(out)) is not None:
        check_claim(work, JOB_DIRECTORY, [path for path in inputs if path is not None])


def run_job(
    function: BlockFunction,
    corpus: Corpus,
    out: str | None,
    runner: Runner,
    share: Share | None = None,
) -> None:
    """Run a job and write its output and its warnings; a share of it writes parts alone.

    Finished parts are kept in `OUT.work` until the end, so that the same command resumes after an
    interruption. For standard output, pipes and devices they are kept in a temporary directory.
    """
    with work_directory(out) as work:
        with lock_directory(work, shared=share is not None):
            claim(work, JOB_DIRECTORY)
            if share is None:
                storage.remove_temporary(work)  # of a run that was killed
            with show_stages("finished") as report:
                done = run_corpus_job(
                    function,
                    corpus,
                    work,
                    runner,
                    suffix="" if out is None else output_suffix(out),
                    share=share,
                    on_progress=report if sys.stderr.isatty() else _report_if_slow(report),
                    on_estimate=_print_estimate,
                )
            if share is None:
                _write_results(done, out)
        if share is None:
            remove_created(work, JOB_DIRECTORY)
            return
    print(
        f"share {share}: {len(done.parts):,} parts are in {work}. When all shares have ended, run: "
        f"regard join {out}",
        file=sys.stderr,
    )


def join_job(out: str) -> None:
    """Write the output and the warnings of a job whose shares are all finished."""
    work = _kept_work(out)
    record = None if work is None else read_record(work)
    if work is None or record is None:
        raise UsageError(
            f"{out}: has no shares to join in {out}.work. Name the --out of the shares. After they "
            "were joined, that directory is removed."
        )
    with lock_directory(work):
        storage.remove_temporary(work)  # of shares that were killed
        _write_results(finished_parts(work, record), out)
    remove_created(work, JOB_DIRECTORY)


def _write_results(done: JobParts, out: str | None) -> None:
    with _open_binary_output(out) as file:
        join_parts(done.parts, "" if out is None else output_suffix(out), file)
    for path in done.warnings:
        print(storage.read_bytes(path).decode(), end="", file=sys.stderr)


def work_directory(out: str | None) -> AbstractContextManager[str]:
    """Return the directory of a job's parts: beside the output, or a temporary one."""
    work = _kept_work(out)
    if work is None:
        return tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    return nullcontext(work)


def _kept_work(out: str | None) -> str | None:
    """Return the directory of a job's parts; None if the output is no file, such as a pipe."""
    if out is None or ("://" not in out and Path(out).exists() and not Path(out).is_file()):
        return None
    return f"{absolute_path(out)}.work"


@contextmanager
def _open_binary_output(out: str | None) -> Iterator[IO[bytes]]:
    """Yield the output; a file or an object replaces an old one when the block ends."""
    if out is None:
        yield sys.stdout.buffer
    elif storage.is_remote(out):
        with storage.open_upload(out) as file:
            yield file
    else:
        with atomic_write(Path(out)) as temporary, temporary.open("wb") as file:
            yield file


def _report_if_slow(report: ProgressCallback) -> ProgressCallback:
    """Report stages only after QUIET seconds, so that short jobs print nothing."""

    def on_progress(progress: StageProgress) -> None:
        if progress.seconds >= QUIET:
            report(progress)

    return on_progress


def _print_estimate(estimate: CostEstimate) -> None:
    from regard.train.events import format_duration

    done = estimate.total - estimate.remaining
    print(
        f"{estimate.remaining:,} records{f', {done:,} done already' if done else ''}; "
        f"{estimate.rate:,.0f} per second and core in a sample: about "
        f"{format_duration(estimate.seconds)}, {estimate.core_hours:,.2f} core hours",
        file=sys.stderr,
    )


# -- the model bundles of corpus jobs, which workers on any machine open ---------------------------


@dataclass(frozen=True)
class JobModel:
    """A bundle, by its path or URL, and the digest that it must have on every machine."""

    path: str
    digest: str
    to: str | None = None  # target language

    @classmethod
    def find(cls, path: str, to: str | None = None) -> JobModel:
        return cls(absolute_path(path), bundle_digest(path), to)

    def fetch(self) -> Path:
        """Return the local directory of the bundle."""
        folder = fetch_bundle(self.path)
        if bundle_digest(folder) != self.digest:
            raise ArtifactError(
                f"{self.path}: differs from the bundle that the job was started with. Use the same "
                "bundle on every machine, and do not replace it during the job."
            )
        return folder

    def load(self) -> Translator:
        """Return the model with the torch engine, which scores and aligns."""
        return Translator.load(self.fetch(), engine="torch").for_target(self.to)
