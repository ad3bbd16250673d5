"""dbt for builds in a test's own process, forked from one that has read the project already.

To start dbt takes a quarter of the time in which it builds a small warehouse. Commands that tests
run as processes start it as users do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import chdir
from multiprocessing import forkserver, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING
from unittest import mock

from app.pipeline import dbt
from app.pipeline.places import ROOT
from ingest.base.child import parented

if TYPE_CHECKING:
    import pytest

__all__ = ["fork_dbt"]

_CONTEXT = get_context("forkserver")
_ENVIRONMENT = dict(os.environ)  # before a test changes it


def fork_dbt(patch: pytest.MonkeyPatch) -> None:
    """Let builds in this process fork dbt, from now on."""
    _CONTEXT.set_forkserver_preload(["tests.dbt_reader"])
    known = SimpleNamespace(Popen=_Forked, PIPE=subprocess.PIPE, STDOUT=subprocess.STDOUT)
    patch.setattr(dbt, "subprocess", known)


class _Forked:
    """What `run_dbt` uses of a Popen."""

    returncode: int | None = None

    def __init__(
        self, command: list[str], *, cwd: Path, env: Mapping[str, str], **_: object
    ) -> None:
        assert command[:3] == [sys.executable, "-m", "app.pipeline.dbt"]
        sys.audit("subprocess.Popen", command[0], command, cwd, env)  # conftest.py looks at it
        with mock.patch.dict(os.environ, _ENVIRONMENT, clear=True), chdir(ROOT):
            forkserver.ensure_running()
        environment = {name: value for name, value in env.items() if name not in parented()}
        read, write = _CONTEXT.Pipe(duplex=False)
        with read, write:
            self._process = _CONTEXT.Process(
                target=_run, args=(command[3:], cwd, environment, write)
            )
            self._process.start()
            self.stdout = os.fdopen(os.dup(read.fileno()))

    def __enter__(self) -> _Forked:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.join()
        self.returncode = self._process.exitcode
        self.stdout.close()


def _run(arguments: list[str], cwd: Path, environment: dict[str, str], output: Connection) -> None:
    """Do in a forked process what `python -m app.pipeline.dbt` does."""
    for stream in (1, 2):
        os.dup2(output.fileno(), stream)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    sys.exit(dbt.main(*arguments))
