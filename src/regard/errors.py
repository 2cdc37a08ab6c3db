"""The errors that regard raises on purpose, and what each of them means.

    RegardError
    ├── ConfigError       a run file, a preset or an override says something that cannot be
    ├── CorpusError     a corpus is damaged, misaligned or missing; names the file and the record
    ├── ArtifactError   a file that regard wrote is damaged, or belongs to something else
    ├── StorageError    a disk is full, or cannot be written
    └── TrainingError   a run went wrong, and stepping back did not help

Each message names the file or the field, the cause and the remedy.
"""

from __future__ import annotations


class RegardError(Exception):
    """Something the user can mend."""

    code = 2  # that a command ends with


class ConfigError(RegardError):
    """What was asked for cannot be built as it was written."""


class CorpusError(RegardError):
    """A corpus cannot be read as it is."""


class ArtifactError(RegardError):
    """A file of ours is not what it should be."""


class StorageError(RegardError):
    """What must be written cannot be."""

    code = 74  # EX_IOERR of sysexits.h


class TrainingError(RegardError):
    """A model does not learn."""

    code = 70  # EX_SOFTWARE of sysexits.h
