"""API keys: made once, stored as digests, compared in constant time, with budgets.

A key is 32 random bytes, so a plain SHA-256 of it cannot be reversed by guessing. The file is JSON:

    {"keys": [{"name": "website", "digest": "…", "budget": 100000, "created": "2026-11-17"}]}
"""

from __future__ import annotations

import hmac
import os
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from regard.errors import ConfigError, StorageError

PREFIX = "rgd_"


class StoredKey(BaseModel):
    """The digest, the name and the budget of a key. The key itself is not stored."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=64)
    digest: str = Field(pattern="^[0-9a-f]{64}$")
    budget: int | None = Field(default=None, gt=0, description="Cost per minute; None: no bound.")
    admin: bool = Field(default=False, description="May reload models and read corrections.")
    created: str = ""


def key_owner(key: StoredKey | None) -> str | None:
    """The owner of what is stored for a key: its name; None on a server without keys."""
    return None if key is None else key.name


class KeyFile(BaseModel):
    """The keys of a server."""

    model_config = ConfigDict(extra="forbid")

    keys: list[StoredKey] = []


def read_keys(path: Path) -> KeyFile:
    """Read a key file; it need not exist."""
    if not path.exists():
        return KeyFile()
    try:
        return KeyFile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from None
    except ValidationError:
        raise ConfigError(f"{path}: is not a key file. Make one with `regard key add`.") from None


def add_key(path: Path, name: str, *, budget: int | None = None, admin: bool = False) -> str:
    """Add a key to the file and return it. It cannot be read again."""
    content = read_keys(path)
    if any(key.name == name for key in content.keys):
        raise ConfigError(f"{name}: there is a key with this name. Revoke it first.")
    key = PREFIX + secrets.token_urlsafe(32)
    created = datetime.now(UTC).date().isoformat()
    try:
        content.keys.append(
            StoredKey(name=name, digest=_digest(key), budget=budget, admin=admin, created=created)
        )
    except ValidationError:
        raise ConfigError(f"{name!r:.80}: a name has 1 to 64 characters.") from None
    _write(path, content)
    return key


def revoke_key(path: Path, name: str) -> None:
    """Remove a key from the file."""
    content = read_keys(path)
    remaining = [key for key in content.keys if key.name != name]
    if len(remaining) == len(content.keys):
        raise ConfigError(f"{path}: has no key with the name {name}.")
    _write(path, KeyFile(keys=remaining))


def _write(path: Path, content: KeyFile) -> None:
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content.model_dump_json(indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):  # the path may lead through a file
            temporary.unlink(missing_ok=True)
        raise StorageError(f"{path}: cannot be written ({error.strerror}).") from None


def _digest(key: str) -> str:
    return sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


@dataclass(slots=True)
class _Budget:
    """A token bucket: it holds the cost of a minute, and fills steadily."""

    per_minute: int
    remaining: float
    updated: float = field(default_factory=lambda: time.monotonic())

    def take(self, cost: int) -> float:
        """Take `cost`; return 0, or the seconds until there is enough.

        A cost above a minute's is taken when the bucket is full, whose level is then negative.
        """
        now = time.monotonic()
        self.remaining = min(
            self.per_minute, self.remaining + (now - self.updated) * self.per_minute / 60
        )
        self.updated = now
        missing = min(cost, self.per_minute) - self.remaining
        if missing > 0:
            return missing * 60 / self.per_minute
        self.remaining -= cost
        return 0.0


class BudgetError(Exception):
    """A key has used its budget."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(retry_after)
        self.retry_after = retry_after


class Keyring:
    """The keys that a server accepts, and what each of them has used."""

    def __init__(self, keys: Sequence[StoredKey]) -> None:
        self._keys = list(keys)
        self._budgets = {
            key.digest: _Budget(key.budget, float(key.budget))
            for key in keys
            if key.budget is not None
        }
        self.used: dict[str, int] = {}  # characters by digest

    def replace(self, keys: Sequence[StoredKey]) -> None:
        """Accept these keys from now on. Keys that stay keep what they have used."""
        for digest, budget in Keyring(keys)._budgets.items():
            existing = self._budgets.get(digest)
            if existing is None or existing.per_minute != budget.per_minute:
                self._budgets[digest] = budget
        digests = {key.digest for key in keys if key.budget is not None}
        self._budgets = {
            digest: budget for digest, budget in self._budgets.items() if digest in digests
        }
        self._keys = list(keys)

    def find(self, key: str) -> StoredKey | None:
        """Return the stored key, in a time that does not depend on how much of it is right."""
        digest, match = _digest(key), None
        for stored in self._keys:
            if hmac.compare_digest(stored.digest, digest):
                match = stored
        return match

    def charge(self, key: StoredKey, cost: int, characters: int) -> None:
        """Take the cost of a request from the key's budget.

        Raises:
            BudgetError: Not enough is left.
        """
        budget = self._budgets.get(key.digest)
        if budget is not None and (wait := budget.take(cost)) > 0:
            raise BudgetError(wait)
        self.used[key.digest] = self.used.get(key.digest, 0) + characters
