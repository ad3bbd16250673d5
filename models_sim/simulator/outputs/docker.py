"""Write `docker system df` (also -v) and `docker stats`.

As Docker prints them, sizes have four significant digits, networks and devices in `docker stats`
three, percentages two decimals, and a negative size is in bytes. `docker stats` without figures of
devices is printed as before Docker 1.9. What the rows do not have (an object's creation time, a
container's image and command) is left blank. The tables come in the order df, df -v, stats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import itemgetter

from models_sim.simulator.outputs.text import Row, Tables, dicts, scaled

__all__ = ["WRITERS", "write"]

DF = ("type", "total", "active", "size_bytes", "reclaimable_bytes")
OBJECT = ("kind", "id", "name", "size_bytes", "shared_bytes", "unique_bytes", "users", "status")
STATS = ("sample", "container_id", "name", "cpu_pct", "memory_bytes", "memory_limit_bytes",
         "memory_pct", "network_received_bytes", "network_sent_bytes", "block_read_bytes",
         "block_written_bytes", "pids")  # fmt: skip
_DECIMAL = tuple((f"{prefix}B", 1000.0**power) for power, prefix in enumerate(("", *"kMGTP")))
_BINARY = tuple(
    (f"{prefix}B", 1024.0**power) for power, prefix in enumerate(("", "Ki", "Mi", "Gi", "Ti"))
)
_DF = ("TYPE", "TOTAL", "ACTIVE", "SIZE", "RECLAIMABLE")
_STATS = ("CONTAINER ID", "NAME", "CPU %", "MEM USAGE / LIMIT", "MEM %", "NET I/O", "BLOCK I/O",
          "PIDS")  # fmt: skip
_OLD_STATS = ("CONTAINER", "CPU %", "MEM USAGE/LIMIT", "MEM %", "NET I/O")
_NARROWEST, _GAP = 10, 3  # characters per column, and between columns


def write(tables: Tables) -> bytes:
    """Return the tables of bench_docker_df, bench_docker_object and bench_docker_stats."""
    printed: list[str] = []
    if df := list(dicts(tables, "bench_docker_df", DF)):
        printed += _table(_DF, map(_df, df))
    objects = sorted(dicts(tables, "bench_docker_object", OBJECT), key=_place)
    for kind, found in groupby(objects, itemgetter("kind")):
        title, heading, cells = _OBJECTS[kind]
        printed += [f"{title}:", "", *_table(heading, map(cells, found)), ""]
    for _, found in groupby(dicts(tables, "bench_docker_stats", STATS), itemgetter("sample")):
        rows = list(found)
        if all(row["block_read_bytes"] is None for row in rows):
            printed += _table(_OLD_STATS, map(_old_stats, rows))
        else:
            printed += _table(_STATS, map(_stats, rows))
    return ("\n".join(printed) + "\n").encode()


def _table(heading: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return rows below their heading; each column is as wide as its widest cell."""
    cells = [heading, *([("" if c is None else str(c)) for c in row] for row in rows)]
    widths = [max(_NARROWEST, *(len(row[n]) + _GAP for row in cells)) for n in range(len(heading))]
    return [
        "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _size(value: float | None, digits: int = 4) -> str:
    if value is None or value < 0:
        return "" if value is None else f"{value:.{digits}g}B"
    return scaled(value, _DECIMAL, lambda v: f"{v:.{digits}g}")


def _df(row: Row) -> tuple[object, ...]:
    freed = _size(row["reclaimable_bytes"])
    if row["size_bytes"] and freed and row["type"] != "Build Cache":
        freed += f" ({int(row['reclaimable_bytes'] * 100 / row['size_bytes'])}%)"
    return row["type"], row["total"], row["active"], _size(row["size_bytes"]), freed


def _image(row: Row) -> tuple[object, ...]:
    repository, _, tag = row["name"].rpartition(":")
    sizes = (_size(row[f"{name}_bytes"]) for name in ("size", "shared", "unique"))
    return repository, tag, row["id"], "", *sizes, row["users"]


def _container(row: Row) -> tuple[object, ...]:
    return (row["id"], "", "", "", _size(row["size_bytes"]), "", row["status"], row["name"])


def _volume(row: Row) -> tuple[object, ...]:
    return row["name"], row["users"], _size(row["size_bytes"])


def _cache(row: Row) -> tuple[object, ...]:
    return row["id"], "", _size(row["size_bytes"]), "", "", "", ""


_Cells = Callable[[Row], tuple[object, ...]]
#: Kind of object -> title of its table, headings, and cells.
_OBJECTS: dict[str, tuple[str, tuple[str, ...], _Cells]] = {
    "image": ("Images space usage", ("REPOSITORY", "TAG", "IMAGE ID", "CREATED", "SIZE",
                                     "SHARED SIZE", "UNIQUE SIZE", "CONTAINERS"), _image),
    "container": ("Containers space usage", ("CONTAINER ID", "IMAGE", "COMMAND", "LOCAL VOLUMES",
                                             "SIZE", "CREATED", "STATUS", "NAMES"), _container),
    "volume": ("Local Volumes space usage", ("VOLUME NAME", "LINKS", "SIZE"), _volume),
    "build_cache": ("Build cache usage", ("CACHE ID", "CACHE TYPE", "SIZE", "CREATED", "LAST USED",
                                          "USAGE", "SHARED"), _cache),
}  # fmt: skip


def _place(row: Row) -> int:
    return list(_OBJECTS).index(row["kind"])


def _stats(row: Row) -> tuple[object, ...]:
    memory = (
        scaled(row[f"memory_{name}bytes"], _BINARY, lambda v: f"{v:.4g}") for name in ("", "limit_")
    )
    network = (_size(row[f"network_{name}_bytes"], 3) for name in ("received", "sent"))
    block = (_size(row[f"block_{name}_bytes"], 3) for name in ("read", "written"))
    return (
        row["container_id"], row["name"], f"{row['cpu_pct']:.2f}%", " / ".join(memory),
        f"{row['memory_pct']:.2f}%", " / ".join(network), " / ".join(block), row["pids"],
    )  # fmt: skip


def _old_stats(row: Row) -> tuple[object, ...]:
    memory, network = (
        "/".join(_size(row[name]) for name in pair)
        for pair in (
            ("memory_bytes", "memory_limit_bytes"),
            ("network_received_bytes", "network_sent_bytes"),
        )
    )
    cpu, share = (f"{row[f'{name}_pct']:.2f}%" for name in ("cpu", "memory"))
    return row["container_id"], cpu, memory, share, network


WRITERS = {"docker": write}
