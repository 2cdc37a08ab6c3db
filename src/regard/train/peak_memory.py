"""Peak memory of this process. Does not import torch."""

from __future__ import annotations

import sys
from pathlib import Path


def process_peak() -> int:
    """Return the peak resident memory of this process in bytes; 0 if unknown, as on Windows."""
    status = Path("/proc/self/status")
    if status.exists():  # on Linux `ru_maxrss` includes the parent's peak
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
