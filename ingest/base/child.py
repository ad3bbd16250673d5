"""Processes that perfhouse starts for itself; none outlives it."""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ingest.base.errors import PerfhouseError
from ingest.base.visible import guard

__all__ = ["Child", "ChildLostError", "end_with_parent", "parent_environment"]

_HERE = str(Path(__file__).parents[2])
_PARENT = "PERFHOUSE_PARENT"
_PR_SET_PDEATHSIG = 1


class ChildLostError(PerfhouseError):
    """A child ended before it answered. status: its exit status, or a signal's negative number."""

    def __init__(self, status: int) -> None:
        super().__init__(f"a process ended with status {status}")
        self.status = status


class Child:
    """A process that runs functions of perfhouse, one after the other; seen from this process.

    On Linux the kernel kills it when the thread that started it ends, so that thread has to last.
    Ctrl-C is for this process alone.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        places = [_HERE, *filter(None, [os.environ.get("PYTHONPATH")])]
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "ingest.base.child", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={
                    **os.environ,
                    **parent_environment(),
                    **(environment or {}),
                    "PYTHONPATH": os.pathsep.join(places),
                },
            )
        self._connection = Connection(ours.detach())

    def run(
        self,
        function: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        heard: Mapping[str, Callable[[Any], object]] | None = None,
    ) -> Any:
        """Run a function of a module there, and return what it returns.

        The function also gets the keyword arguments `heard`: calls that take place here, while it
        goes on. Raises what the function raises, and ChildLostError.
        """
        heard = heard or {}
        self._reach(partial(self._connection.send, (function, args, kwargs or {}, [*heard])))
        while True:
            # Polars lets the system resume a read after Ctrl-C, but no system resumes a poll.
            self._reach(partial(self._connection.poll, None))
            kind, value = self._reach(self._connection.recv)
            if kind == "heard":
                name, text = value
                heard[name](text)
            elif kind == "raised":
                raise value
            else:
                return value

    def _reach(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except (EOFError, ConnectionError) as error:
            raise ChildLostError(self.process.wait()) from error

    def kill(self) -> None:
        """End the process, whatever it is doing; `run` raises ChildLostError then."""
        self.process.kill()

    def end(self, *, at_once: bool) -> None:
        """End the process, `at_once` or when it has run what it was given."""
        if at_once:
            self.process.kill()
        self._connection.close()
        self.process.wait()


def parent_environment() -> dict[str, str]:
    """Return the environment variable that tells a child which process started it."""
    return {_PARENT: str(os.getpid())}


def end_with_parent() -> None:
    """Let the kernel kill this process when the one that started it ends, however it ends."""
    parent = os.environ.get(_PARENT)
    if parent is None or sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(parent):  # it ended before the kernel knew
        os._exit(1)


def main() -> None:
    """Run what the process that started this one sends, until it ends the connection."""
    end_with_parent()
    guard()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that started this
    connection = Connection(int(sys.argv[1]))
    while True:
        try:
            function, args, kwargs, heard = connection.recv()
        except EOFError:
            return
        calls = {name: partial(_tell, connection, name) for name in heard}
        try:
            answer = "done", function(*args, **kwargs, **calls)
        except Exception as error:
            answer = "raised", _sendable(error)
        connection.send(answer)


def _tell(connection: Connection, name: str, value: object) -> None:
    connection.send(("heard", (name, value)))


def _sendable(error: Exception) -> Exception:
    """Return an exception, or its text if it cannot be pickled."""
    try:
        if str(pickle.loads(pickle.dumps(error))) == str(error):  # noqa: S301 - its own
            return error
    except Exception:  # noqa: S110 - any that a class of exceptions raises
        pass
    if isinstance(error, PerfhouseError):
        return PerfhouseError(str(error))
    return RuntimeError(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
