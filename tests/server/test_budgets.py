"""Key files and budgets, without a server."""

from __future__ import annotations

import json
import os
import stat
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from regard.errors import ConfigError, StorageError
from regard.serve import keys as keys_module
from regard.serve.keys import BudgetError, Keyring, StoredKey, add_key, read_keys, revoke_key


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000.0
        monkeypatch.setattr(keys_module.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def stored(name: str, budget: int | None = None) -> StoredKey:
    return StoredKey(name=name, digest=sha256(name.encode()).hexdigest(), budget=budget)


def wait(ring: Keyring, key: StoredKey, cost: int) -> float:
    """The seconds until a cost is accepted; 0: it was charged."""
    try:
        ring.charge(key, cost, 1)
    except BudgetError as error:
        return error.retry_after
    return 0.0


def test_a_key_file_holds_what_was_added(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "keys.json"
    assert read_keys(path).keys == []
    first = add_key(path, "first", budget=60, admin=True)
    second = add_key(path, "second")
    assert first != second and first.startswith("rgd_") and len(first) == 4 + 43  # 32 bytes
    keys = {key.name: key for key in read_keys(path).keys}
    assert list(keys) == ["first", "second"]
    assert (keys["first"].budget, keys["first"].admin) == (60, True)
    assert (keys["second"].budget, keys["second"].admin) == (None, False)
    assert keys["first"].digest == sha256(first.encode()).hexdigest()
    assert keys["first"].created == datetime.now(UTC).date().isoformat()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]
    revoke_key(path, "first")
    assert [key.name for key in read_keys(path).keys] == ["second"]
    assert json.loads(path.read_text())["keys"][0]["name"] == "second"


@pytest.mark.parametrize("name", ["", "x" * 65])
def test_a_name_has_1_to_64_characters(tmp_path: Path, name: str) -> None:
    path = tmp_path / "keys.json"
    with pytest.raises(ConfigError, match="1 to 64 characters"):
        add_key(path, name)
    assert not path.exists()
    add_key(path, "x" * 64)


@pytest.mark.parametrize(
    "change",
    [{"digest": "0" * 63}, {"digest": "G" * 64}, {"budget": 0}, {"other": 1}, {"name": ""}],
    ids=str,
)
def test_a_damaged_key_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "keys.json"
    entry = {"name": "a", "digest": "0" * 64, "budget": 1}
    path.write_text(json.dumps({"keys": [entry]}))
    assert len(read_keys(path).keys) == 1
    path.write_text(json.dumps({"keys": [entry | change]}))
    with pytest.raises(ConfigError, match="is not a key file"):
        read_keys(path)


def test_files_that_cannot_be_read_or_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"{tmp_path}: cannot be read"):
        read_keys(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"keys\.json: cannot be written"):
        add_key(tmp_path / "file" / "keys.json", "a")


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "keys.json"
    add_key(path, "a")
    before = path.read_bytes()

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StorageError, match="No space left"):
        add_key(path, "b")
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_only_the_whole_key_is_found() -> None:
    keys = [stored("a"), stored("b"), stored("c")]
    ring = Keyring(keys)
    assert [ring.find(name) for name in "abc"] == keys
    assert [ring.find(name) for name in ("", "d", "ab", "a ", "\udc80")] == [None] * 5


def test_a_budget_fills_at_its_rate(clock: Clock) -> None:
    key = stored("a", 120)  # two a second
    ring = Keyring([key])
    assert wait(ring, key, 50) == wait(ring, key, 70) == 0
    assert wait(ring, key, 1) == pytest.approx(0.5)
    assert wait(ring, key, 30) == pytest.approx(15)  # a refused cost takes nothing
    clock.now += 14.9
    assert wait(ring, key, 30) == pytest.approx(0.1)
    clock.now += 0.2
    assert wait(ring, key, 30) == 0
    clock.now += 1_000  # it never holds more than a minute's
    assert wait(ring, key, 100) == 0
    assert wait(ring, key, 30) == pytest.approx(5)


def test_a_cost_above_a_minutes_leaves_a_debt(clock: Clock) -> None:
    key = stored("a", 60)
    ring = Keyring([key])
    assert wait(ring, key, 1) == 0
    assert wait(ring, key, 200) == pytest.approx(1)  # only from a full bucket
    clock.now += 1
    assert wait(ring, key, 200) == 0
    assert wait(ring, key, 10) == pytest.approx(150)
    clock.now += 150
    assert wait(ring, key, 10) == 0


def test_keys_have_budgets_of_their_own_and_all_characters_are_counted(clock: Clock) -> None:
    keys = [stored("a", 60), stored("b", 60), stored("free")]
    ring = Keyring(keys)
    assert [wait(ring, key, 60) for key in keys] == [0, 0, 0]
    assert [wait(ring, key, 60) > 0 for key in keys] == [True, True, False]
    ring.charge(keys[2], 10**9, 40)
    assert ring.used == {keys[0].digest: 1, keys[1].digest: 1, keys[2].digest: 42}


def test_keys_that_stay_keep_what_they_have_used(clock: Clock) -> None:
    before = [stored("same", 60), stored("raised", 60), stored("freed", 60), stored("gone", 60)]
    ring = Keyring(before)
    for key in before:
        ring.charge(key, 60, 1)
    after = [stored("same", 60), stored("raised", 61), stored("freed"), stored("new", 60)]
    ring.replace(after)
    assert [wait(ring, key, 60) for key in after] == pytest.approx([60, 0, 0, 0])
    assert [ring.find(name) for name in ("same", "new")] == [after[0], after[3]]
    assert ring.find("gone") is None
    ring.replace(before)
    assert [wait(ring, key, 60) for key in before] == pytest.approx([60, 0, 0, 0])
