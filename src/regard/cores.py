"""The numbers of CPU cores and threads that this process may use."""

from __future__ import annotations

import os


def available_cores() -> int:
    """Return the number of cores this process may run on.

    macOS and Windows have no CPU affinity; there, all cores of the machine count.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def allowed_threads() -> int:
    """Return the number of threads that engines may use: OMP_NUM_THREADS, else all cores."""
    setting = os.environ.get("OMP_NUM_THREADS", "")
    return int(setting) if setting.isdecimal() and int(setting) > 0 else available_cores()
