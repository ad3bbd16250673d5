"""Write what IBM MQ's sample amqsrua prints about a queue manager's resource usage.

Percentages and fractions have two decimals, as in the sample. Publications are distinguished by
their moment (hundredths of a second) and interval (milliseconds). One run of the sample prints one
class and type, so several of them need several files.
"""

from __future__ import annotations

from datetime import datetime
from itertools import groupby
from operator import itemgetter

from models_sim.simulator.outputs.text import Row, Tables, dicts

__all__ = ["WRITERS", "write"]

COLUMNS = ("time_utc", "interval_seconds", "class", "type", "object", "metric", "value", "unit",
           "rate_per_second")  # fmt: skip
_NAME = 48  # characters to which an object's name is padded


def write(tables: Tables) -> bytes:
    """Return the publications of bench_amqsrua. Raise ValueError for several classes or types."""
    rows = list(dicts(tables, "bench_amqsrua", COLUMNS))
    chosen = {(row["class"], row["type"]) for row in rows}
    if len(chosen) > 1:
        raise ValueError(f"amqsrua prints one class and type, not {sorted(map(str, chosen))}")
    printed = [
        line
        for what, value in zip(("Class", "Type"), *chosen, strict=True)
        if value
        for line in (f"Enter {what} selection", f"==> {value}")
    ]
    for (moment, seconds), found in groupby(rows, itemgetter("time_utc", "interval_seconds")):
        if moment is not None:
            printed.append(_publication(moment, seconds))
        printed += map(_metric, found)
    return ("\n".join(printed) + "\n").encode()


def _publication(moment: datetime, seconds: float | None) -> str:
    put = f"{moment:%H%M%S}{moment.microsecond // 10_000:02d}"
    interval = "" if seconds is None else f" Interval:{_interval(seconds)}"
    return f"Publication received PutDate:{moment:%Y%m%d} PutTime:{put}{interval}"


def _interval(seconds: float) -> str:
    """Return days, hours and minutes if there are any, and seconds."""
    minutes, rest = divmod(round(seconds * 1000), 60_000)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = {"days": days, "hours": hours, "minutes": minutes}
    printed = [f"{value} {name}," for name, value in parts.items() if value]
    return f"{''.join(printed)}{rest / 1000:.3f} seconds"


def _metric(row: Row) -> str:
    name = "" if row["object"] is None else f"{row['object']:<{_NAME}} "
    value, unit = row["value"], row["unit"]
    figure = f"{value:.2f}" if unit == "%" or not value.is_integer() else str(int(value))
    rate = "" if row["rate_per_second"] is None else f" {row['rate_per_second']:.0f}/sec"
    return f"{name}{row['metric']} {figure}{' uSec' if unit == 'us' else unit or ''}{rate}"


WRITERS = {"amqsrua": write}
