"""Write the rates that the performance harnesses for MQ print: mq-cph and JMSPerfHarness.

Rates and seconds have two decimals, JMSPerfHarness's interval has whole seconds. The number of an
interval is not printed, because it follows from the order of its process's lines. A row is a
rolling average of JMSPerfHarness if it is an interval without iterations, or a total whose rate is
its iterations over its seconds. The maximum of such a row is unknown, so its rate is printed
instead.
"""

from __future__ import annotations

from models_sim.simulator.outputs.text import Row, Tables, dicts

__all__ = ["WRITERS", "write"]

COLUMNS = ("harness", "kind", "process_id", "rate_per_second", "iterations", "seconds", "threads",
           "processes")  # fmt: skip


def write(tables: Tables) -> bytes:
    """Return the lines of bench_harness."""
    lines = (
        ",".join(f"{name}={value}" for name, value in _values(row).items() if value is not None)
        for row in dicts(tables, "bench_harness", COLUMNS)
    )
    return ("\n".join(lines) + "\n").encode()


def _values(row: Row) -> dict[str, object]:
    """Return the names and values of a line in order, without those that are None."""
    is_jms = row["harness"] == "jms"
    number, seconds, iterations = row["rate_per_second"], row["seconds"], row["iterations"]
    rate = f"{number:.2f}"
    if row["kind"] == "interval":
        return {
            "id": row["process_id"],
            "rateR" if is_jms and iterations is None else "rate": rate,
            "total messages": iterations,
            "Snapshot period": None if seconds is None else f"{seconds:.0f}",
            "threads": row["threads"],
            "processes": row["processes"],
        }
    is_rolling = is_jms and iterations and seconds and number == iterations / seconds
    return {
        "id": row["process_id"],
        "totalIterations": iterations,
        "avgDuration" if is_jms else "totalSeconds": f"{seconds:.2f}",
        "maxrateR" if is_rolling else "totalRate" if is_jms else "avgRate": rate,
    }


WRITERS = {"perf_harness": write}
