"""Worker processes: they answer, tell progress, raise, and are replaced if they are killed."""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingest.base.errors import SourceError
from ingest.base.files import name_of
from ingest.base.workers import WorkerLostError, Workers
from ingest.formats.limits import limit
from ingest.formats.sources import origin_of


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(2) as two:
        yield two


def test_a_worker_returns_what_a_function_returns(workers: Workers) -> None:
    tasks = [workers.submit(name_of, Path(f"{n}.smf")) for n in range(5)]
    assert [task.result() for task in tasks] == [f"{n}.smf" for n in range(5)]


def test_functions_run_in_other_processes(workers: Workers) -> None:
    assert workers.submit(os.getpid).result() != os.getpid()


def slowly(number: int) -> tuple[int, int]:
    """Return a number and the process that this runs in."""
    time.sleep(0.02)
    return number, os.getpid()


def test_this_process_works_too_and_results_come_in_order(workers: Workers) -> None:
    done: list[int] = []
    numbers, processes = zip(*workers.each(slowly, range(30), done=done.append), strict=True)
    assert numbers == tuple(range(30))
    assert len({*processes}) == 3
    assert os.getpid() in processes
    assert sorted(done) == [*range(30)]


def test_without_others_this_process_does_everything() -> None:
    with Workers(0) as none:
        assert {*none.each(slowly, range(3))} == {(n, os.getpid()) for n in range(3)}


def test_a_fault_ends_what_is_not_begun(workers: Workers) -> None:
    results = workers.each(int, ["0", "1", "two", *"3456789"])
    with pytest.raises(ValueError, match="two"):
        list(results)
    assert list(workers.each(int, "01")) == [0, 1]


def die_elsewhere(process: int) -> str:
    """Kill the process that this runs in, unless it is this one."""
    time.sleep(0.02)
    if os.getpid() != process:
        signal.raise_signal(signal.SIGKILL)
    return "here"


def test_an_item_whose_process_is_killed_has_another_result(workers: Workers) -> None:
    items = [os.getpid()] * 8
    results = [*workers.each(die_elsewhere, items, lost=lambda _, error: str(error)[-2:])]
    assert {*results} == {"here", "-9"}
    with pytest.raises(WorkerLostError):
        list(workers.each(die_elsewhere, items))


@pytest.mark.parametrize(
    ("function", "argument", "error"),
    [
        (os.listdir, "/no/such/folder", OSError),
        (int, "many", ValueError),
        (limit, "no such limit", KeyError),
    ],
)
def test_what_a_function_raises_is_raised_here(
    function: Callable[[str], object], argument: str, error: type[Exception], workers: Workers
) -> None:
    with pytest.raises(error) as raised:
        workers.submit(function, argument).result()
    if isinstance(raised.value, OSError):
        assert (raised.value.errno, raised.value.filename) == (errno.ENOENT, argument)


def test_settings_of_this_process_hold_in_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERFHOUSE_LIMIT_LINES", "none")
    with Workers(1) as one, pytest.raises(SourceError, match="PERFHOUSE_LIMIT_LINES"):
        one.submit(limit, "lines").result()


def test_a_killed_worker_is_replaced(workers: Workers) -> None:
    with pytest.raises(WorkerLostError, match="status -9"):
        workers.submit(signal.raise_signal, signal.SIGKILL).result()
    tasks = [workers.submit(origin_of, Path("a.smf")) for _ in range(4)]
    assert [task.result() for task in tasks] == [None] * 4


def interrupt(process: int) -> None:
    """Interrupt this process as Ctrl-C does; in another one, wait longer than a test may take."""
    if os.getpid() == process:
        raise KeyboardInterrupt
    time.sleep(3600)


def test_an_interrupt_does_not_wait_for_what_others_do() -> None:
    with pytest.raises(KeyboardInterrupt), Workers(1) as one:
        list(one.each(interrupt, [os.getpid()] * 3))


def test_an_exception_ends_workers_at_once() -> None:
    with pytest.raises(KeyboardInterrupt), Workers(1) as one:
        (child,) = one._children
        one.submit(signal.pause)
        raise KeyboardInterrupt
    assert child.process.returncode == -signal.SIGKILL
