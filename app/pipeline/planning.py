"""Plans with what a site knows: its prices, and its own runs (models_sim.plan has the numbers)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.pipeline.prices import prices_file, read_prices
from ingest.base.errors import RequestError
from models_sim.plan import Plan, plan

__all__ = ["make_plan", "read_workload", "site_prices"]

#: Settings of a configuration that a plan knows.
_KNOWN = (
    "source", "target", "network", "queue", "zhpf", "tls", "ams", "compmsg", "p2wg", "mode",
    "file_size_mb", "channels", "protocol", "latency_ms_oneway", "loss_pct", "connection",
    "message_size_bytes", "machine",
)  # fmt: skip


def make_plan(
    workload: Mapping[str, Any],
    *,
    like: Mapping[str, Any] | None = None,
    own: Any = None,
) -> Plan:
    """Work out a workload by the site's prices. Raises RequestError.

    like: settings of a run, which the workload completes; own: a frame of figures of runs.
    """
    base = {name: value for name, value in (like or {}).items() if name in _KNOWN}
    try:
        return plan(base | dict(workload), own=own, prices=site_prices())
    except ValueError as error:
        raise RequestError(f"plan: {error}") from None


def read_workload(words: list[str]) -> dict[str, Any]:
    """Return the workload of a TOML file and of words NAME=VALUE, which count more.

    A value with commas is a list: each makes an alternative. Raises RequestError.
    """
    settings: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            parts = [_value(part) for part in value.split(",")]
            given[name] = parts if len(parts) > 1 or name == "curve" else parts[0]
            continue
        try:
            settings |= tomllib.loads(Path(word).read_text("utf-8"))
        except OSError as error:
            raise RequestError(f"{word}: {error.strerror} (or give NAME=VALUE)") from None
        except ValueError as error:
            raise RequestError(f"{word}: {error}") from None
    return settings | given


def _value(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text.strip()


def site_prices() -> dict[str, Any]:
    """Return the latest of the site's own prices; empty if there are none."""
    file = prices_file()
    rows = [row for row in read_prices(file) if row.valid_until is None] if file else []
    if not rows:
        return {}
    return {
        "currency": rows[0].currency,
        "msu_hour": rows[0].msu_hour,
        "network_gb": rows[0].network_gb,
        "cp_second": {row.machine: row.cp_second for row in rows if row.machine and row.cp_second},
    }
