"""Keys: stored as digests, compared in constant time, with budgets; safe addresses."""

from __future__ import annotations

import json
import signal
import stat
import time
from pathlib import Path

import pytest

from regard.cli.main import app
from regard.errors import ConfigError
from regard.serve import keys as keys_module
from regard.serve.keys import BudgetError, Keyring, add_key, read_keys, revoke_key
from tests.running_server import running_server

pytestmark = pytest.mark.xdist_group("server")


def test_only_digests_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "keys.json"
    key = add_key(path, "website", budget=100)
    assert key.startswith("rgd_") and len(key) > 40
    assert key not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (stored,) = read_keys(path).keys
    assert (stored.name, stored.budget) == ("website", 100)
    assert Keyring([stored]).find(key) == stored
    assert Keyring([stored]).find(key[:-1]) is None
    with pytest.raises(ConfigError, match="there is a key with this name"):
        add_key(path, "website")
    revoke_key(path, "website")
    assert read_keys(path).keys == []
    with pytest.raises(ConfigError, match="no key with the name"):
        revoke_key(path, "website")


def test_a_damaged_key_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_text('{"keys": [{"name": "x"}]}')
    with pytest.raises(ConfigError, match="not a key file"):
        read_keys(path)


def test_a_budget_fills_steadily(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr(keys_module.time, "monotonic", lambda: now)
    path = tmp_path / "keys.json"
    key = add_key(path, "website", budget=600)
    ring = Keyring(read_keys(path).keys)
    stored = ring.find(key)
    assert stored is not None
    ring.charge(stored, 600, 10)
    with pytest.raises(BudgetError) as refused:
        ring.charge(stored, 100, 10)
    assert refused.value.retry_after == pytest.approx(10)
    now += 10
    ring.charge(stored, 100, 10)
    now += 60
    ring.charge(stored, 6_000, 10)  # more than a minute's: accepted from a full bucket
    now += 60
    with pytest.raises(BudgetError):
        ring.charge(stored, 1, 10)


def test_a_server_with_keys(bundle: Path, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    key, poor = add_key(path, "website"), add_key(path, "poor", budget=20)
    admin = add_key(path, "operator", admin=True)
    body = {"texts": ["A dog runs."], "beam_size": 1}
    with running_server(f"en-de={bundle}", "--workers", "1", "--keys", path) as server:
        answers = {}
        for name, each in {"": None, "wrong": "rgd_x", "right": key}.items():
            with server.client(each) as client:
                answers[name] = client.post("/v1/translate", json=body)
                assert client.get("/healthz").status_code == 200
                models = client.get("/v1/models").status_code
                assert models == (200 if name == "right" else 401)
        assert [answer.status_code for answer in answers.values()] == [401, 401, 200]
        assert answers[""].headers["www-authenticate"] == "Bearer"
        errors = [answers[name].json()["error"] for name in ("", "wrong")]
        assert errors[0] == errors[1]
        with server.client(poor) as client:
            statuses = [client.post("/v1/translate", json=body) for _ in range(4)]
            assert statuses[0].status_code == 200 and statuses[-1].status_code == 429
            assert int(statuses[-1].headers["retry-after"]) > 0
            assert client.post("/v1/reload", json={}).status_code == 403
        with server.client(admin) as client:
            assert client.post("/v1/reload", json={}).json() == {"reloaded": []}
            everything = "\n".join(server.lines) + client.get("/metrics").text
    assert not any(each in everything for each in (key, poor, admin))
    assert json.loads(path.read_text())["keys"][0]["digest"][:8] in everything


def test_a_public_address_needs_a_key(bundle: Path) -> None:
    with (
        pytest.raises(AssertionError, match="regard key add"),
        running_server(bundle, "--host", "0.0.0.0"),
    ):
        pass


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "keys.json")
    app(["key", "add", "website", "--keys", file, "--budget", "50"], standalone_mode=False)
    key = capsys.readouterr().out.strip()
    app(["key", "list", "--keys", file], standalone_mode=False)
    listed = capsys.readouterr().out
    assert "website" in listed and "50 per minute" in listed and key not in listed
    app(["key", "revoke", "website", "--keys", file], standalone_mode=False)
    app(["key", "list", "--keys", file], standalone_mode=False)
    assert capsys.readouterr().out == ""


def test_sighup_reads_the_keys_again(bundle: Path, tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    old = add_key(path, "old")
    with running_server(f"en-de={bundle}", "--workers", "1", "--keys", path) as server:
        new = add_key(path, "new")
        revoke_key(path, "old")
        server.process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + 60
        while "Reloaded: no change" not in server.lines:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        statuses = []
        for key in (old, new):
            with server.client(key) as client:
                statuses.append(client.get("/v1/models").status_code)
    assert statuses == [401, 200]
