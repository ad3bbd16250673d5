"""Write the rates that the performance harnesses for MQ print: mq-cph and JMSPerfHarness.

Rates and seconds have two decimals, JMSPerfHarness's interval whole seconds. An interval's number
is not printed: it follows from the order of its process's lines.
"""

from __future__ import annotations

from models_sim.outputs.text import Row, Tables, dicts

__all__ = ["WRITERS", "write"]

COLUMNS = ("harness", "kind", "process_id", "rate_per_second", "iterations", "seconds", "threads",
           "processes")  # fmt: skip


def write(tables: Tables) -> bytes:
    """The lines of bench_harness."""
    lines = (
        ",".join(f"{name}={value}" for name, value in _values(row).items() if value is not None)
        for row in dicts(tables, "bench_harness", COLUMNS)
    )
    return ("\n".join(lines) + "\n").encode()


def _values(row: Row) -> dict[str, object]:
    """Names and values of a line, in its order; what is None is not in it."""
    is_jms = row["harness"] == "jms"
    rate, seconds = f"{row['rate_per_second']:.2f}", row["seconds"]
    if row["kind"] == "interval":
        return {
            "id": row["process_id"],
            "rate": rate,
            "total messages": row["iterations"],
            "Snapshot period": None if seconds is None else f"{seconds:.0f}",
            "threads": row["threads"],
            "processes": row["processes"],
        }
    return {
        "id": row["process_id"],
        "totalIterations": row["iterations"],
        "avgDuration" if is_jms else "totalSeconds": f"{seconds:.2f}",
        "totalRate" if is_jms else "avgRate": rate,
    }


WRITERS = {"perf_harness": write}
