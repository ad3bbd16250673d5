"""Processes that perfhouse starts for itself; none outlives it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

__all__ = ["end_with_parent", "parented"]

_PARENT = "PERFHOUSE_PARENT"
_PR_SET_PDEATHSIG = 1


def parented() -> dict[str, str]:
    """Return the environment variable by which a child that this process starts knows it."""
    return {_PARENT: str(os.getpid())}


def end_with_parent() -> None:
    """Let the kernel kill this process when the one that started it ends, however it ends."""
    parent = os.environ.get(_PARENT)
    if parent is None or sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):  # it ended before the kernel knew
        os._exit(1)
