"""The number of CPU cores that this process may use."""

from __future__ import annotations

import os


def available_cores() -> int:
    """Return the number of cores this process may run on.

    macOS and Windows have no CPU affinity; there, all cores of the machine count.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
