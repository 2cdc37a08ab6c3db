"""Slurm with one node on this machine, in a directory of its own."""

from __future__ import annotations

import getpass
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.distributed.processes import free_port

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "sinfo")
SEARCHED = f"{os.environ['PATH']}:/usr/sbin"  # where Debian has the daemons
MISSING = [name for name in PROGRAMS if shutil.which(name, path=SEARCHED) is None]
START = 60  # seconds

CONFIG = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@dataclass(frozen=True)
class SlurmCluster:
    folder: Path
    environment: dict[str, str]

    def run(self, *words: str | Path) -> str:
        """Run a program of Slurm and return its output."""
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{words}: {done.stderr}{self.logs()}"
        return done.stdout.strip()

    def state(self, job: str) -> str:
        """Return the state of a job, such as FAILED."""
        fields = self.run("scontrol", "--oneliner", "show", "job", job).split()
        return next(word.partition("=")[2] for word in fields if word.startswith("JobState="))

    def logs(self) -> str:
        """Return the ends of the logs of daemons and jobs."""
        paths = [*self.folder.glob("*.log"), *self.folder.glob("slurm-*.out")]
        return "".join(f"\n== {path.name}\n{path.read_text()[-3_000:]}" for path in paths)


@contextmanager
def slurm_cluster(folder: Path) -> Iterator[SlurmCluster]:
    """Start munged, slurmctld and slurmd, and stop them afterwards. Jobs see two CPUs."""
    folder.chmod(0o755)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o600)
    host = socket.gethostname().partition(".")[0]
    config = folder / "slurm.conf"
    config.write_text(
        CONFIG.format(
            host=host,
            controller=free_port(),
            node=free_port(),
            user=getpass.getuser(),
            folder=folder,
        )
    )
    environment = {**os.environ, "PATH": SEARCHED, "SLURM_CONF": str(config)}
    munge = ["munged", "--foreground", "--force", f"--key-file={key}"]
    munge += [f"--socket={folder}/munge.socket", f"--pid-file={folder}/munge.pid"]
    munge += [f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed"]
    cluster = SlurmCluster(folder, environment)
    with ExitStack() as stack:
        for command in (munge, ["slurmctld", "-D", "-i"], ["slurmd", "-D", "-N", host]):
            stack.enter_context(_daemon(command, cluster))
            if command == munge:
                _wait(cluster, (folder / "munge.socket").exists)
        _wait(cluster, lambda: "idle" in _state(cluster))
        yield cluster


@contextmanager
def _daemon(command: list[str], cluster: SlurmCluster) -> Iterator[None]:
    log = (cluster.folder / f"{command[0]}.daemon.log").open("w")
    process = subprocess.Popen(
        command, cwd=cluster.folder, env=cluster.environment, stdout=log, stderr=log
    )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(START)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        log.close()


def _state(cluster: SlurmCluster) -> str:
    done = subprocess.run(
        ["sinfo", "--noheader", "--format=%t"],
        env=cluster.environment,
        capture_output=True,
        text=True,
    )
    return done.stdout


def _wait(cluster: SlurmCluster, condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + START
    while not condition():
        assert time.monotonic() < deadline, f"Slurm does not start{cluster.logs()}"
        time.sleep(0.2)
