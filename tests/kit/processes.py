"""Processes that hold a lock, or are killed where they change a name of a file."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from app.pipeline.places import ROOT

__all__ = ["OTHER_HOST", "has_other_hosts", "other_process", "steps_of"]

#: What stands before a command so that it runs as on another host: its process numbers are its own.
OTHER_HOST = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--uts")
CHANGES_NAMES = ("os.rename", "shutil.rmtree", "os.symlink")

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(["app.pipeline.backup"])


def has_other_hosts() -> bool:
    """Return whether this user may make namespaces."""
    done = subprocess.run([*OTHER_HOST, "true"], capture_output=True, check=False)
    return done.returncode == 0


@contextmanager
def other_process(file: Path, command: str = "a test") -> Iterator[subprocess.Popen[str]]:
    """Yield another process, which holds a lock until it is killed."""
    script = (
        "import sys; from pathlib import Path; from ingest.base.waiting import locked\n"
        "with locked(Path(sys.argv[1]), wait=60, command=sys.argv[2]):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(file), command],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def steps_of(act: Callable[..., object], *arguments: object, killed_at: int | None = None) -> int:
    """Call a function in a process; return how often it changed names of files until its end."""
    done = _server.Value("q", 0)
    process = _server.Process(target=_act_and_die, args=(killed_at, done, act, *arguments))
    process.start()
    process.join()
    assert process.exitcode == (0 if killed_at is None else -signal.SIGKILL)
    return done.value


def _act_and_die(
    step: int | None, steps_done: Synchronized[int], act: Callable[..., object], *arguments: object
) -> None:
    """Call a function, count how often it changes names, and be killed at one `step`."""

    def count(event: str, about: tuple[object, ...]) -> None:
        is_empty_table = event == "os.rename" and "_schema" in str(about[0])
        steps_done.value += event in CHANGES_NAMES and not is_empty_table
        if steps_done.value == step:
            steps_done.value += 1  # os.kill is an audit event, too
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    act(*arguments)
