"""Corpora and prepared data in an S3 object store."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from regard.data import corpus_job, storage
from regard.data.corpus_job import join_parts, run_corpus_job
from regard.data.formats.corpus import open_corpus
from regard.data.loading.loader import Loader
from regard.data.loading.shard_pool import BatchOrder
from regard.data.loading.shards import PreparedData
from regard.data.preparation.prepare import PreparationSettings, StageProgress, prepare_corpora
from regard.data.preparation.runner import InProcessRunner, ProcessRunner
from regard.errors import ArtifactError
from tests.distributed.corpus_jobs import SIZE, job_corpus, job_function, make_job_files, run_verb


def _lines(count: int) -> tuple[str, str]:
    sources = [f"sentence number {i} of {i * i} words" for i in range(count)]
    return "\n".join(sources) + "\n", "\n".join(f"Satz {s}" for s in sources) + "\n"


SETTINGS = PreparationSettings(vocabulary=300, shard_pairs=200, held_out=0.1, dedupe="exact")


def test_shards_in_a_store_equal_those_on_disk(store: str, tmp_path: Path) -> None:
    for name, text in zip(("a.en", "a.de"), _lines(1_000), strict=True):
        storage.write_bytes(f"{store}/{name}", text.encode())
        (tmp_path / name).write_text(text)
    remote_corpus = open_corpus(f"{store}/a.en", f"{store}/a.de")
    local_corpus = open_corpus(str(tmp_path / "a.en"), str(tmp_path / "a.de"))
    with ProcessRunner(2) as runner:
        remote = prepare_corpora([remote_corpus], f"{store}/out", SETTINGS, runner)
    local = prepare_corpora([local_corpus], str(tmp_path / "out"), SETTINGS, InProcessRunner())
    assert len(remote.shards("train")) == 5
    for split in ("train", "valid"):
        for a, b in zip(remote.shards(split), local.shards(split), strict=True):
            assert a.checksums == b.checksums
            a.verify()

    all_done = []

    def on_progress(progress: StageProgress) -> None:
        all_done.append(progress.reused == progress.done)

    again = prepare_corpora(
        [remote_corpus], f"{store}/out", SETTINGS, InProcessRunner(), on_progress=on_progress
    )
    assert all(all_done) and again.splits == remote.splits

    order = BatchOrder(seed=1, budget=200)
    first = next(Loader(remote.shards("train"), order).steps())
    same = next(Loader(local.shards("train"), order).steps())
    ids = [step.micro_batches[0].batch.source.ids.numpy() for step in (first, same)]
    np.testing.assert_array_equal(*ids)


def test_a_compressed_corpus_in_a_store_is_prepared(store: str, tmp_path: Path) -> None:
    import gzip

    for name, text in zip(("a.en.gz", "a.de.gz"), _lines(500), strict=True):
        storage.write_bytes(f"{store}/{name}", gzip.compress(text.encode()))
    corpus = open_corpus(f"{store}/a.en.gz", f"{store}/a.de.gz")
    prepared = prepare_corpora([corpus], str(tmp_path / "out"), SETTINGS, InProcessRunner())
    assert sum(shard.pairs for shards in prepared.splits.values() for shard in shards) == 500


def test_a_damaged_shard_in_the_store_is_refused(store: str) -> None:
    for name, text in zip(("a.en", "a.de"), _lines(300), strict=True):
        storage.write_bytes(f"{store}/{name}", text.encode())
    corpus = open_corpus(f"{store}/a.en", f"{store}/a.de")
    prepare_corpora([corpus], f"{store}/out", SETTINGS, InProcessRunner())
    shard = PreparedData.open(f"{store}/out").shards("train")[0]
    path = f"{store}/out/{shard.name}.source"
    content = storage.read_bytes(path)
    storage.write_bytes(path, content[:-2] + b"\0\0")
    with pytest.raises(ArtifactError, match="SHA-256"):
        shard.verify()
    storage.write_bytes(path, content[:-2])
    with pytest.raises(ArtifactError, match="truncated"):
        shard.open()
    prepare_corpora([corpus], f"{store}/out", SETTINGS, InProcessRunner())
    shard.verify()


def test_a_corpus_job_in_a_store_writes_the_bytes_of_one_on_disk(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The corpus, the model and the output are objects."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(corpus_job, "BLOCK", SIZE)
    make_job_files(tmp_path)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            storage.write_bytes(f"{store}/{path.relative_to(tmp_path)}", path.read_bytes())
    for verb, suffix in (("translate", ""), ("score", ".gz")):
        expected = run_verb(verb, tmp_path, f"{verb}-local", InProcessRunner())
        monkeypatch.setattr(corpus_job, "_loaded", {})  # or the local model would be used again
        work = f"{store}/{verb}.work"
        done = run_corpus_job(
            job_function(verb, store), job_corpus(verb, store), work, InProcessRunner(),
            suffix=suffix,
        )  # fmt: skip
        with storage.open_upload(f"{store}/{verb}.out{suffix}") as file:
            join_parts(done.parts, suffix, file)
        content = storage.read_bytes(f"{store}/{verb}.out{suffix}")
        content = gzip.decompress(content) if suffix else content
        warnings = b"".join(map(storage.read_bytes, done.warnings))
        assert content + warnings == expected
        assert len(list((tmp_path / "cache" / "regard" / "models").iterdir())) == 1 + (
            verb == "score"
        )
        storage.remove_directory(work)
        assert not storage.list_names(work)


def test_an_upload_that_fails_leaves_no_object(store: str) -> None:
    def write() -> None:
        with storage.open_upload(f"{store}/failed") as file:
            file.write(b"half")
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        write()
    assert not storage.path_exists(f"{store}/failed")
