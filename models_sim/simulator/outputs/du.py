"""Write what `du` prints: sizes with a unit below 10 have one decimal."""

from __future__ import annotations

from models_sim.simulator.outputs.text import Row, Tables, dicts, whole

__all__ = ["WRITERS", "write"]

DU = ("path", "value", "unit")


def write(tables: Tables) -> bytes:
    """Return the lines of bench_du."""
    return "".join(map(_line, dicts(tables, "bench_du", DU))).encode()


def _line(row: Row) -> str:
    value, unit = row["value"], row["unit"] or ""
    size = f"{value:.1f}" if unit and value < 10 else whole(value)
    return f"{size}{unit}\t{row['path']}\n"


WRITERS = {"du": write}
