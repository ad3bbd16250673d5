"""A site's own prices: reading prices.toml, and their table in the working database.

meta.price   one row per period and machine: what CPU time, capacity and network cost in it
"""

from __future__ import annotations

import math
import os
import tomllib
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from ingest.base.errors import SettingsError

__all__ = ["Price", "prices_file", "read_prices", "unmatched_machines", "write_prices"]

_AMOUNTS = ("msu_hour", "network_gb")


class Price(NamedTuple):
    """A row of meta.price: prices of one machine that are valid from a date until another.

    machine: a generation such as z15, "" for those without a price of their own; None: not known.
    """

    currency: str
    valid_from: date
    valid_until: date | None
    machine: str
    msu_hour: float | None
    cp_second: float | None
    network_gb: float | None


def prices_file() -> Path | None:
    """Return the file that $PERFHOUSE_PRICES names, if it is set. Raises SettingsError."""
    named = os.environ.get("PERFHOUSE_PRICES")
    if named and not Path(named).is_file():
        raise SettingsError(f"{named}: no such file (set in $PERFHOUSE_PRICES)")
    return Path(named) if named else None


def read_prices(path: Path) -> list[Price]:
    """Read the file into periods within which no price changes. Raises SettingsError."""
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise SettingsError(f"{path}: {error}") from None
    currency = content.get("currency")
    if not isinstance(currency, str) or not currency.isprintable() or not currency.strip():
        raise SettingsError(f'{path}: it needs a currency, such as currency = "EUR"')
    if wrong := sorted(content.keys() - {"currency", "price"}):
        raise SettingsError(f"{path}: {', '.join(wrong)} unknown")
    entries = content.get("price")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise SettingsError(f"{path}: each price begins with [[price]]")
    for number, entry in enumerate(entries, 1):
        if fault := _fault(entry):
            raise SettingsError(f"{path}: price {number}: {fault}")
    entries.sort(key=lambda entry: entry["from"])
    starts = [entry["from"] for entry in entries]
    if again := {str(start) for start in starts if starts.count(start) > 1}:
        raise SettingsError(f"{path}: two prices begin on {', '.join(sorted(again))}")
    machines = sorted({machine for entry in entries for machine in entry.get("cp_second", {})})
    rows, amounts, of_machine = [], dict[str, float](), dict[str, float]()
    for entry, until in zip(entries, [*starts[1:], None], strict=True):
        amounts |= {name: entry[name] for name in _AMOUNTS if name in entry}
        of_machine |= entry.get("cp_second", {})
        # What has no price costs nothing, but no machine runs for the price of another.
        msu = amounts.get("msu_hour", 0.0 if of_machine else None)
        none = 0.0 if amounts.get("msu_hour") is not None and not of_machine else None
        rows += [
            Price(currency.strip(), entry["from"], until, machine, msu,
                  of_machine.get(machine, none), amounts.get("network_gb"))
            for machine in ("", *machines)
        ]  # fmt: skip
    return rows


def _fault(entry: dict[str, Any]) -> str:
    """Return what is wrong with an entry, "" if nothing is."""
    if wrong := sorted(entry.keys() - {"from", "cp_second", *_AMOUNTS}):
        return f"{', '.join(wrong)} unknown"
    if type(entry.get("from")) is not date:
        return "from must be a date, such as 2026-01-01"
    by_machine = entry.get("cp_second", {})
    if not isinstance(by_machine, dict):
        return "cp_second must name machines, such as cp_second = { z15 = 0.001 }"
    given = {name: entry[name] for name in _AMOUNTS if name in entry} | {
        f"cp_second of {machine}": value for machine, value in by_machine.items()
    }
    if not given:
        return f"it has none of {', '.join((*_AMOUNTS, 'cp_second'))}"
    for name, value in given.items():
        if type(value) not in (int, float) or not math.isfinite(value) or value < 0:
            return f"{name} must be a number that is not below 0"
    return ""


def write_prices(db: duckdb.DuckDBPyConnection, prices: list[Price]) -> None:
    """Make meta.price of these rows, of none if the site gives no prices."""
    db.execute(
        "CREATE SCHEMA IF NOT EXISTS meta; CREATE OR REPLACE TABLE meta.price (currency VARCHAR, "
        "valid_from DATE, valid_until DATE, machine VARCHAR, msu_hour DOUBLE, cp_second DOUBLE, "
        "network_gb DOUBLE)"
    )
    db.execute(
        "COMMENT ON TABLE meta.price IS 'One row per period and machine: the site''s own prices'"
    )
    if prices:
        db.executemany("INSERT INTO meta.price VALUES (?, ?, ?, ?, ?, ?, ?)", prices)


def unmatched_machines(db: duckdb.DuckDBPyConnection, prices: list[Price]) -> list[str]:
    """Return a line on each machine with a price that no data have, and of the data without one."""
    priced = {price.machine for price in prices if price.machine}
    if not priced:
        return []
    rows = db.execute(
        "SELECT DISTINCT coalesce(machine, machine_type) FROM marts.fct_system_hour "
        "WHERE machine_type IS NOT NULL"
    ).fetchall()
    machines = {name for (name,) in rows}
    has = f"the data have {', '.join(sorted(machines)) or 'none'}"
    return [
        *(
            f"cp_second of {name}: no such machine is loaded; {has}"
            for name in sorted(priced - machines)
        ),
        *(
            f"{name} has no cp_second: its CPU time has no cost"
            for name in sorted(machines - priced)
        ),
    ]
