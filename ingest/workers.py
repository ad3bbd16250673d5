"""Processes that work beside this one. Threads would not help: decoding keeps Python busy.

A worker runs the functions of perfhouse that it is given, one after the other. It does not outlive
the process that started it.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from ingest.child import end_with_parent, parented
from ingest.errors import PerfhouseError

__all__ = ["WorkerLostError", "Workers", "cores"]

_HERE = str(Path(__file__).parents[1])

A = TypeVar("A")
P = ParamSpec("P")
T = TypeVar("T")


class WorkerLostError(PerfhouseError):
    """A worker ended in the middle of a task: it was killed, perhaps for want of memory."""


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """A number of processes. As a context manager; leaving it by an exception kills them."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._children = [_Child() for _ in range(count)]
        self._idle = SimpleQueue[_Child]()
        for child in self._children:
            self._idle.put(child)
        self._is_ending = False
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="worker")

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a function of a module in the next worker that is free, and return its future.

        Raises in the future what the function raises, and WorkerLostError. An argument `progress`
        is called in this process, from another thread.
        """
        return self._threads.submit(self._run, function, args, kwargs)

    def each(self, function: Callable[[A], T], items: Iterable[A], /) -> Iterator[T]:
        """Yield what a function returns for each item, in order; see ingest.text.parser.Each.

        A few items are taken ahead of the result that is waited for.
        """
        pending = deque[Future[T]]()
        for item in items:
            pending.append(self.submit(function, item))
            if len(pending) > self.count:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()

    def _run(self, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        child = self._idle.get()
        try:
            return child.run(function, args, kwargs)
        except WorkerLostError:
            if not self._is_ending:
                child = _Child()
                self._children.append(child)
            raise
        finally:
            self._idle.put(child)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._is_ending = True
        for child in self._children:
            child.end(at_once=kind is not None)
        self._threads.shutdown(cancel_futures=True)


class _Child:
    """One process, seen from this one."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "ingest.workers", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=os.environ | parented() | _environment(),
            )
        self.connection = Connection(ours.detach())

    def run(self, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        progress = kwargs.pop("progress", None)
        try:
            self.connection.send((function, args, kwargs, progress is not None))
            while True:
                what, value = self.connection.recv()
                if what == "progress":
                    progress(value)
                elif what == "raised":
                    raise value
                else:
                    return value
        except (EOFError, ConnectionError) as error:
            status = self.process.wait()
            raise WorkerLostError(f"a process that decodes ended with status {status}") from error

    def end(self, *, at_once: bool) -> None:
        if at_once:
            self.process.kill()
        self.connection.close()
        self.process.wait()


def _environment() -> dict[str, str]:
    """Return what lets a worker run the same perfhouse as here, with one thread.

    There are as many workers as processors.
    """
    places = [_HERE, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(places), "POLARS_MAX_THREADS": "1"}


def main() -> None:
    """Run what the process that started this one sends, until it ends the connection."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that started this
    connection = Connection(int(sys.argv[1]))
    while True:
        try:
            function, args, kwargs, tells = connection.recv()
        except EOFError:
            return
        if tells:
            kwargs["progress"] = partial(_tell, connection)
        try:
            answer = "done", function(*args, **kwargs)
        except Exception as error:
            answer = "raised", _sendable(error)
        connection.send(answer)


def _tell(connection: Connection, count: int) -> None:
    connection.send(("progress", count))


def _sendable(error: Exception) -> Exception:
    """Return an exception, or what it says if it cannot be sent."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - its own
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    main()
