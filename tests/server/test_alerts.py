"""The alert rules and the dashboard in deploy/, and the metrics of a real server."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
import yaml

from regard import __version__
from tests.conftest import ROOT
from tests.distributed.processes import free_port
from tests.running_server import RunningServer, running_server

pytestmark = pytest.mark.xdist_group("server")

FOLDER = ROOT / "deploy" / "prometheus"
RULES = yaml.safe_load((FOLDER / "alerts.yaml").read_text("utf-8"))["groups"][0]["rules"]
GUIDE = (ROOT / "docs" / "guides" / "operating.md").read_text("utf-8")
OF_PROMETHEUS = {"up"}


def expressions() -> Iterator[str]:
    """The expressions of all rules and of all panels."""
    yield from (rule["expr"] for rule in RULES)
    dashboard = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text("utf-8"))
    for panel in dashboard["panels"]:
        yield from (target["expr"] for target in panel["targets"])


def selectors(expression: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The metrics that an expression names, and the labels that it compares with one value."""
    for name, compared in re.findall(
        r"\b((?:regard|process)_\w+|up)\b(?:\{(.*?)\})?", expression, re.DOTALL
    ):
        yield name, dict(re.findall(r'(\w+)="([^"]*)"', compared))


@pytest.mark.skipif(
    shutil.which("promtool") is None, reason="needs promtool: apt-get install prometheus"
)
@pytest.mark.parametrize(
    "command",
    ["check rules alerts.yaml", "check config prometheus.yml", "test rules alerts_test.yaml"],
)
def test_promtool_accepts_the_files(command: str) -> None:
    done = subprocess.run(
        ["promtool", *command.split()], cwd=FOLDER, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_rule_is_tested_and_documented() -> None:
    tests = yaml.safe_load((FOLDER / "alerts_test.yaml").read_text("utf-8"))["tests"]
    raised, quiet = set(), set()
    for case in tests:
        for check in case["alert_rule_test"]:
            (raised if check["exp_alerts"] else quiet).add(check["alertname"])
    names = [rule["alert"] for rule in RULES]
    assert raised == quiet == set(names)
    assert re.findall(r"^\| `(Regard\w+)` \|", GUIDE, re.MULTILINE) == names


def test_alerts_and_panels_use_metrics_of_the_server(server: RunningServer) -> None:
    with server.client() as client:
        client.post("/v1/translate", json={"texts": ["A dog."]})
        exported = client.get("/metrics").text
    used = [each for expression in expressions() for each in selectors(expression)]
    assert len(used) > 40
    for name, labels in used:
        if name in OF_PROMETHEUS:
            continue
        samples = re.findall(rf"^{name}(?:\{{(.*?)\}})? ", exported, re.MULTILINE)
        assert samples, name
        keys = {key for sample in samples for key in re.findall(r'(\w+)="', sample)}
        assert labels.keys() - {"job", "instance"} <= keys, name
        if "route" in labels:
            assert any(f'route="{labels["route"]}"' in sample for sample in samples), name


def test_metrics_tell_versions_memory_and_descriptors(server: RunningServer) -> None:
    with server.client() as client:
        (model,) = client.get("/v1/models").json()["models"]
        exported = client.get("/metrics").text
    (build,) = re.findall(r"^regard_build_info\{(.*)\} 1.0$", exported, re.MULTILINE)
    assert f'version="{__version__}"' in build
    (info,) = re.findall(r"^regard_model_info\{(.*)\} 1.0$", exported, re.MULTILINE)
    assert all(f'"{model[name]}"' in info for name in ("name", "version", "engine"))
    server.wait_for_engines(2)
    assert server.metric("regard_engines") == 2
    engines = sum(engine.memory_info().rss for engine in server.engines)
    assert server.metric("regard_engine_memory_bytes") == pytest.approx(engines, rel=0.1)
    assert 10 < server.metric("process_open_fds") < server.metric("process_max_fds")
    assert server.metric("process_resident_memory_bytes") > 1e7


def test_prometheus_expects_the_addresses_of_the_balancer() -> None:
    """The example of HAProxy's replicas and the targets are the same machines."""
    config = yaml.safe_load((FOLDER / "prometheus.yml").read_text("utf-8"))
    (job,) = config["scrape_configs"]
    replicas = (ROOT / "deploy" / "haproxy" / "replicas.cfg").read_text("utf-8")
    backend = replicas.partition("backend replicas")[2].partition("backend")[0]
    (targets,) = job["static_configs"]
    assert targets["targets"] == re.findall(r"server \w+ (\S+)", backend)


@contextmanager
def prometheus(folder: Path, targets: list[str]) -> Iterator[str]:
    """Start Prometheus with the files in deploy/, but seconds for minutes; yield its URL."""
    config = yaml.safe_load((FOLDER / "prometheus.yml").read_text("utf-8"))
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["scrape_configs"][0]["static_configs"] = [{"targets": targets}]
    del config["alerting"]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    rules = re.sub(r"for: \d+m", "for: 1s", (FOLDER / "alerts.yaml").read_text("utf-8"))
    (folder / "alerts.yaml").write_text(rules)
    address = f"127.0.0.1:{free_port()}"
    process = subprocess.Popen(
        [
            "prometheus",
            f"--config.file={folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address={address}",
        ],
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"http://{address}"
    finally:
        process.terminate()
        process.wait(30)


def firing(url: str) -> dict[str, str]:
    """The alerts that fire, with their summaries."""
    try:
        alerts = httpx2.get(f"{url}/api/v1/alerts", trust_env=False).json()["data"]["alerts"]
    except httpx2.TransportError:
        return {}  # it starts
    return {
        alert["labels"]["alertname"]: alert["annotations"]["summary"]
        for alert in alerts
        if alert["state"] == "firing"
    }


def wait_for(url: str, alert: str, fires: bool = True) -> str:
    """Wait until an alert fires, or does not any more; return its summary."""
    deadline = time.monotonic() + 120
    while (alert in (alerts := firing(url))) != fires:
        assert time.monotonic() < deadline, alerts
        time.sleep(0.2)
    return alerts.get(alert, "")


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("prometheus") is None, reason="needs Prometheus: apt-get install prometheus"
)
def test_prometheus_reports_an_engine_that_hangs(bundle: Path, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("deadline_seconds: 10\n")
    with (
        running_server(f"en-de={bundle}", "--workers", "1", "--settings", settings) as server,
        prometheus(tmp_path, [server.url.removeprefix("http://")]) as url,
    ):
        assert wait_for(url, "RegardReplicaMissing") == "1 of 2 replicas answer."
        assert "RegardNoEngine" not in firing(url)
        (engine,) = server.engines
        engine.send_signal(signal.SIGSTOP)
        assert "no engine translates" in wait_for(url, "RegardNoEngine")
        wait_for(url, "RegardNoEngine", fires=False)  # the server has replaced the engine
        assert server.metric("regard_engine_restarts") == 1
