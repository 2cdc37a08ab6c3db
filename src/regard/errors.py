"""Errors that regard raises on purpose.

    RegardError
    ├── ConfigError     a run file, a preset, an override or an option is invalid
    ├── CorpusError     a corpus is damaged, misaligned or missing; names the file and the record
    ├── DocumentError   a document to translate is damaged, too large or of an unknown format
    ├── ArtifactError   a file that regard wrote (bundle, tokenizer, shard, checkpoint), or of a
    │                   pretrained model, is damaged or does not fit the one that it is used with
    ├── StorageError    a disk is full or not writable
    ├── ServerError     a translation server cannot be reached, is busy or fails
    └── TrainingError   a run diverged, and rolling back did not help

Each message names the file or the setting, the cause, and how to fix it.

Exit status of commands: 0 success, 1 a bug in regard (or the reader of standard output has gone),
2 an error that the user can fix, 3 a check failed (`regard compare --gate`, `regard doctor`),
69 a server is not available, 70 training failed, 74 a file cannot be written, 130 interrupted.
"""

from __future__ import annotations

FAILED_CHECK = 3
INTERRUPTED = 130


class RegardError(Exception):
    """Base class of all errors that a user can fix."""

    code = 2  # exit status of the command


class ConfigError(RegardError):
    """A setting or an option is invalid."""


class CorpusError(RegardError):
    """A corpus cannot be read."""


class DocumentError(RegardError):
    """A document cannot be read."""


class ArtifactError(RegardError):
    """A file that regard wrote is damaged or does not fit."""


class StorageError(RegardError):
    """A file cannot be written."""

    code = 74  # EX_IOERR of sysexits.h


class ServerError(RegardError):
    """A translation server does not translate now."""

    code = 69  # EX_UNAVAILABLE of sysexits.h


class TrainingError(RegardError):
    """A training run cannot continue."""

    code = 70  # EX_SOFTWARE of sysexits.h
