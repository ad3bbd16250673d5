"""Processes that work beside this one. Threads would not help: decoding keeps Python busy.

A worker runs the functions of perfhouse that it is given, one after the other. It does not outlive
the process that started it.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from queue import SimpleQueue
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from ingest.base.child import Child, ChildLostError
from ingest.base.errors import PerfhouseError

__all__ = ["WorkerLostError", "Workers", "cores"]

_SWITCH = 5e-4  # seconds after which a thread that talks to a process gets its turn
_EACH = 2  # items for each process: one is worked on, one waits while this process is busy

A = TypeVar("A")
P = ParamSpec("P")
T = TypeVar("T")


class WorkerLostError(PerfhouseError):
    """A worker ended in the middle of a task: it was killed, perhaps because memory ran out."""


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Some processes, perhaps none. As a context manager; leaving it by an exception kills them."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._children = [_child() for _ in range(count)]
        self._idle = SimpleQueue[Child]()
        for child in self._children:
            self._idle.put(child)
        self._is_ending = False
        self._switch = sys.getswitchinterval()
        self._threads = ThreadPoolExecutor(max(count, 1), thread_name_prefix="worker")

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a function of a module in the next worker that is free, and return its future.

        Raises in the future what the function raises, and WorkerLostError. An argument `progress`
        is called in this process, from another thread.
        """
        return self._threads.submit(self._run, function, args, kwargs)

    def each(
        self,
        function: Callable[..., T],
        items: Iterable[A],
        /,
        *,
        done: Callable[[A], None] = lambda _: None,
        lost: Callable[[A, WorkerLostError], T] | None = None,
        **kwargs: Any,
    ) -> Generator[T, None, None]:
        """Yield what a function returns for each item, in order (Each in ingest.formats.text).

        This process calls the function, too, when the others have enough to do. Keyword arguments
        are as those of `submit`; `done` is called with each item when the function has ended,
        perhaps from another thread. `lost` returns the result for an item whose process was killed;
        without it, WorkerLostError is raised.
        """

        def result(item: A, task: Future[T]) -> T:
            try:
                return task.result()
            except WorkerLostError as error:
                if lost is None:
                    raise
                return lost(item, error)

        pending = deque[tuple[A, Future[T]]]()
        begun: list[Future[T]] = []
        try:
            for item in items:
                begun = [task for task in begun if not task.done()]
                if len(begun) < _EACH * self.count:
                    task = self.submit(function, item, **kwargs)
                    begun.append(task)
                else:
                    task = _run_here(function, item, **kwargs)
                task.add_done_callback(partial(_call, done, item))
                pending.append((item, task))
                while pending and pending[0][1].done():
                    yield result(*pending.popleft())
            for index, (item, task) in reversed([*enumerate(pending)]):
                if task.cancel():  # no other process has begun it
                    pending[index] = item, _run_here(function, item, **kwargs)
            while pending:
                yield result(*pending.popleft())
        except KeyboardInterrupt:
            self._is_ending = True
            for child in self._children:
                child.process.kill()
            raise
        finally:
            for _, task in pending:
                task.cancel()
            wait(begun)  # no process is at work once this has ended

    def _run(self, function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        child = self._idle.get()
        progress = kwargs.pop("progress", None)
        try:
            return child.run(function, args, kwargs, {"progress": progress} if progress else None)
        except ChildLostError as error:
            if not self._is_ending:
                child = _child()
                self._children.append(child)
            raise WorkerLostError(
                f"a process that decodes ended with status {error.status}"
            ) from error
        finally:
            self._idle.put(child)

    def __enter__(self) -> Self:
        sys.setswitchinterval(_SWITCH)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        sys.setswitchinterval(self._switch)
        self._is_ending = True
        for child in self._children:
            child.end(at_once=kind is not None)
        self._threads.shutdown(cancel_futures=True)


def _run_here(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    """Run a function in this process, and return its future, which is done."""
    done = Future[T]()
    try:
        done.set_result(function(*args, **kwargs))
    except Exception as error:
        done.set_exception(error)
    return done


def _call(function: Callable[[A], None], argument: A, _: object) -> None:
    function(argument)


def _child() -> Child:
    return Child({"POLARS_MAX_THREADS": "1"})  # there are as many workers as processors
