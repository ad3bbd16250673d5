"""Queries that people write, each in a process of its own.

DuckDB checks for interrupts and counts memory in some functions only, and can be made to crash. So
the process of a query is killed when its time is up, and the kernel limits its memory. RLIMIT_DATA
does that: it counts what a process can write to. RLIMIT_AS would also count what allocators and
threads merely reserve, which grows with the number of processors.
"""

from __future__ import annotations

import resource
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from ingest.base.child import Child, ChildLostError
from ingest.base.files import sweep
from ingest.base.workers import cores
from ingest.lake.answers import answers, as_arrow
from ingest.lake.locked import (
    LockedError,
    lock,
    look_up_in_marts_first,
    memory,
    open_database,
    require_reading,
    seconds,
    timeout_error,
)
from ingest.lake.sql import literal

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Query", "prepare", "restrict"]

#: What DuckDB, C++ and the bindings to Python say when there is no memory.
_OF_MEMORY = "Out of Memory Error", "bad_alloc", "bad allocation", "Could not allocate"
_BATCH = 2048  # rows: as DuckDB has them

_SPARE = 256 << 20  # bytes beyond the memory of a query: for Python, Arrow, and what is not counted
_THREAD = 16 << 20  # bytes for each processor: the stack of a thread, and what it keeps
_STARTED_BY = ThreadPoolExecutor(1, "queries")  # a thread that lasts, as children end with theirs
_ONE_AT_A_TIME = threading.Lock()
_spare: list[Future[Child]] = []  # one process that waits for a query, or none


class Query:
    """A process that reads the published `file` for one query. As a context manager, ends it.

    is_limited: it may run as long, and take as much memory, as the settings say.
    """

    def __init__(self, file: Path, *, is_limited: bool = True) -> None:
        self._file = file
        self._is_limited = is_limited
        self._child = _take()
        self._is_stopped = False
        self._is_late = False

    def rows(self, sql: str, most_rows: int, most_bytes: int) -> tuple[pa.Table, bool]:
        """Return the first rows of a query, as `framed` has them, and whether there are more.

        Raises duckdb.Error and LockedError.
        """
        import pyarrow as pa

        parts: list[bytes] = []
        is_cut = self.run(_send_rows, sql, most_rows, most_bytes, part=parts.append)
        return pa.concat_tables([pa.ipc.open_stream(part).read_all() for part in parts]), is_cut

    def run(
        self, function: Callable[..., Any], /, *args: Any, **heard: Callable[[Any], object]
    ) -> Any:
        """Run a function there, with the file and the memory as first arguments; return its result.

        The memory is None without limits. It calls its keyword arguments `heard` here. Raises what
        it raises, and LockedError if it takes too long, is stopped, or ends its process.
        """
        limit = seconds() if self._is_limited else threading.TIMEOUT_MAX
        timer = threading.Timer(limit, self._end_late)
        timer.daemon = True
        timer.start()
        try:
            most = memory() if self._is_limited else None
            return self._child.run(function, (self._file, most, *args), heard=heard)
        except ChildLostError as error:
            if self._is_stopped:
                raise LockedError("stopped") from None
            if self._is_late:
                raise timeout_error(limit) from None
            raise LockedError(_how(error.status)) from None
        finally:
            timer.cancel()

    def stop(self) -> None:
        """End the process, whatever it is doing. Any thread may call this, more than once."""
        self._is_stopped = True
        self._child.kill()

    def _end_late(self) -> None:
        self._is_late = True
        self._child.kill()

    def end(self) -> None:
        """End the idle process, and remove what it left behind."""
        self._child.end(at_once=True)
        with suppress(OSError):  # if it was killed, it left what it wrote to disk
            sweep(Path(tempfile.gettempdir()))

    def __enter__(self) -> Query:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


def _how(status: int) -> str:
    if status == -signal.SIGKILL:
        return "the system killed the query's process, perhaps because memory ran out"
    if status < 0:
        return f"the query crashed its process ({signal.strsignal(-status)})"
    return f"the query's process ended with status {status}"


def prepare() -> None:
    """Start a process for the next query, so that the query does not have to wait for it."""
    with _ONE_AT_A_TIME:
        if not _spare:
            _spare.append(_STARTED_BY.submit(_warm_up))


def _take() -> Child:
    with _ONE_AT_A_TIME:
        future = _spare.pop() if _spare else _STARTED_BY.submit(Child)
    child = future.result()
    if child.process.poll() is None:
        return child
    child.end(at_once=True)
    return _STARTED_BY.submit(Child).result()


def _warm_up() -> Child:
    child = Child()
    with suppress(ChildLostError):
        child.run(_warm)
    return child


def _warm() -> None:
    import pyarrow  # noqa: F401 - takes longer than most queries


@contextmanager
def restrict(db: duckdb.DuckDBPyConnection, file: Path, most: str) -> Iterator[None]:
    """Let this process read only one warehouse, open as `db`, with this much memory: "4GB".

    For processes that end afterwards: the limits stay. Raises LockedError if the memory is not
    enough, and what `lock` raises.
    """
    db.execute("SET python_enable_replacements = false")
    look_up_in_marts_first(db)
    lock(db, most)
    _limit(db)
    try:
        yield
    except Exception as error:
        if not _is_about_memory(error):
            raise
        raise LockedError(
            f"the query needs more memory than {most}; PERFHOUSE_QUERY_MEMORY says how much a "
            "query may use"
        ) from None


def _is_about_memory(error: Exception) -> bool:
    if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
        return True
    return isinstance(error, duckdb.Error | RuntimeError) and any(
        words in str(error) for words in _OF_MEMORY
    )


def _limit(db: duckdb.DuckDBPyConnection) -> None:
    """Let the kernel refuse more memory, and let a crash write no core dump."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[5])
    except OSError:  # not Linux
        return
    ((memory_limit,),) = db.execute("SELECT current_setting('memory_limit')").fetchall()
    if memory_limit.endswith("PiB"):  # DuckDB was told "none"
        return
    ((counted,),) = db.execute(f"SELECT parse_formatted_bytes({literal(memory_limit)})").fetchall()
    now = pages * resource.getpagesize()
    # DuckDB keeps to what it counts; a quarter more is for what it does not.
    limit = now + counted * 5 // 4 + _SPARE + _THREAD * cores()
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _send_rows(
    file: Path,
    most: str,
    sql: str,
    most_rows: int,
    most_bytes: int,
    *,
    part: Callable[[bytes], None],
) -> bool:
    """Call `part` with the rows of a query as Arrow streams; return whether rows were left out."""
    with open_database(file, read_only=True, apart=True) as db, restrict(db, file, most):
        require_reading(db, sql)
        (answer,) = answers(db, sql, holder="a data frame")
        schema, batches = as_arrow(answer, _BATCH)
        part(_stream(schema))
        rows, size = most_rows, most_bytes
        for batch in batches:
            taken = batch.slice(0, rows)
            while taken.num_rows and taken.nbytes > size:
                taken = taken.slice(0, taken.num_rows // 2)
            if taken.num_rows:
                part(_stream(schema, taken))
            rows -= taken.num_rows
            size -= taken.nbytes
            if taken.num_rows < batch.num_rows:
                if rows == most_rows:
                    raise LockedError(f"a row takes more than {most_bytes:,} bytes")
                return True
    return False


def _stream(schema: pa.Schema, *batches: pa.RecordBatch) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as stream:
        for batch in batches:
            stream.write_batch(batch)
    return bytes(sink.getvalue())
