"""Crypto cards and the counters of processors: SMF 70-2 and 113."""

from __future__ import annotations

from typing import Any

from app.results.queries.owners import with_sysplex
from app.results.queries.systems import Column, Page, Panel, Section, Table, Tile, by, rate

__all__ = ["PAGE"]

_CARDS = "marts.fct_crypto_card_interval"
_OPERATIONS = "marts.fct_crypto_operation_interval"
_COUNTERS = with_sysplex("marts.fct_hardware_interval")
_BY_TYPE = with_sysplex("marts.fct_hardware_processor_interval")
_CARD = "card_type || ' ' || card_number"
_NO_CARDS = "No crypto records (SMF 70-2) in this time range."
_NO_COUNTERS = "No counters (SMF 113) in this time range."
_SOURCES = {
    "L2": "l2_percent",
    "L3": "l3_percent",
    "L4, local": "l4_local_percent",
    "L4, remote": "l4_remote_percent",
    "memory": "memory_percent",
}


def _card(title: str, unit: str, value: str, scope: str, meaning: str, **options: Any) -> Panel:
    return Panel(
        title,
        unit,
        _CARDS,
        value,
        series=_CARD,
        where=f"scope = '{scope}'",
        help=meaning,
        empty=_NO_CARDS,
        **options,
    )


def _operation(title: str, unit: str, value: str, **options: Any) -> Panel:
    return Panel(
        title,
        unit,
        _OPERATIONS,
        value,
        series="replace(card_kind, ' coprocessor', '') || ': ' || operation",
        where="scope = 'the system'",
        rank="sum(operations)",
        ranked="operations",
        empty=_NO_CARDS,
        **options,
    )


def _counter(title: str, unit: str, column: str, meaning: str, weight: str) -> Panel:
    return Panel(
        title,
        unit,
        _BY_TYPE,
        by(column, weight),
        series="processor_type",
        order=("CP", "zIIP"),
        weight=f"sum({weight})",
        help=meaning,
        empty=_NO_COUNTERS,
    )


PAGE = Page(
    title="Crypto and hardware",
    about="Crypto cards from SMF 70-2, and the counters of the processors from SMF 113.",
    records="crypto records or counters (SMF 70-2, 113)",
    tiles=(
        Tile(
            "Busiest card",
            "%",
            _CARDS,
            "max(utilisation_percent)",
            "of the machine: {}",
            f"arg_max({_CARD}, utilisation_percent)",
            where="scope = 'the machine'",
        ),
        Tile(
            "Crypto operations",
            "/s",
            _CARDS,
            "max(operations_per_second)",
            "most of the system: {}",
            f"arg_max({_CARD}, operations_per_second)",
            where="scope = 'the system'",
        ),
        Tile("CPI", "", _COUNTERS, by("cpi", "instructions"), "cycles per instruction"),
        Tile(
            "RNI",
            "",
            _COUNTERS,
            by("rni", "instructions"),
            "relative nest intensity: {}",
            "arg_max(rni_class, instructions)",
        ),
        Tile("L1 misses", "%", _COUNTERS, by("l1_miss_percent", "instructions"), "of instructions"),
        Tile(
            "Instructions",
            "billion/s",
            _COUNTERS,
            "sum(instructions) / 1e9 / nullif(sum(interval_seconds), 0)",
            "all processors",
        ),
    ),
    sections=(
        Section(
            "Crypto cards",
            panels=(
                _card(
                    "Use of cards by the machine",
                    "% of the card",
                    "max(utilisation_percent)",
                    "the machine",
                    "All systems of the machine.",
                    ranked="use",
                ),
                _card(
                    "Use of cards by the system",
                    "% of the card",
                    "max(utilisation_percent)",
                    "the system",
                    "",
                    ranked="use",
                ),
                _card(
                    "Operations by card",
                    "operations/s",
                    rate("operations"),
                    "the system",
                    "",
                    ranked="operations",
                ),
                _card(
                    "Time per operation by card",
                    "µs per operation",
                    by("average_execution_us", "operations"),
                    "the system",
                    "",
                    weight="sum(operations)",
                    ranked="time",
                ),
                _operation("Operations by kind", "operations/s", rate("operations"), merge="rate"),
                _operation(
                    "Time per operation by kind",
                    "µs per operation",
                    by("average_execution_us", "operations"),
                    weight="sum(operations)",
                ),
            ),
            tables=(
                Table(
                    "",
                    "crypto_operations",
                    _OPERATIONS,
                    {
                        "card_type": Column("Card", "card_type", group=True),
                        "card_number": Column("Number", "card_number", group=True),
                        "card_kind": Column("Kind", "any_value(card_kind)"),
                        "scope": Column("Of", "scope", group=True),
                        "operation": Column("Operation", "operation", group=True),
                        "operations": Column("Operations", "cast(sum(operations) as bigint)"),
                        "rate": Column("Most per second", "max(operations_per_second)"),
                        "time_us": Column("Time, µs", by("average_execution_us", "operations")),
                        "use": Column("Use, most, %", "max(utilisation_percent)"),
                    },
                    order="scope desc, operations desc nulls last, card_type, card_number,"
                    " operation",
                ),
            ),
        ),
        Section(
            "Hardware counters",
            "How processors spent their cycles. Formulas that IBM has not published for the "
            "machine are marked in the table.",
            panels=(
                _counter(
                    "Cycles per instruction (CPI)",
                    "cycles per instruction",
                    "cpi",
                    "",
                    "instructions",
                ),
                Panel(
                    "CPI by part",
                    "cycles per instruction",
                    _BY_TYPE,
                    {
                        "complexity": by("complexity_cpi", "instructions"),
                        "finite cache": by("finite_cpi", "instructions"),
                    },
                    weight="sum(instructions)",
                    help="Finite cache: waits for data beyond L1.",
                    empty=_NO_COUNTERS,
                ),
                _counter(
                    "Relative nest intensity (RNI)",
                    "RNI",
                    "rni",
                    "How far from the core data came from.",
                    "instructions",
                ),
                _counter("L1 misses", "% of instructions", "l1_miss_percent", "", "instructions"),
                Panel(
                    "Where L1 misses were found",
                    "% of L1 misses",
                    _BY_TYPE,
                    {name: by(column, "instructions") for name, column in _SOURCES.items()},
                    weight="sum(instructions)",
                    empty=_NO_COUNTERS,
                ),
                _counter("Cycles per L1 miss", "cycles", "cycles_per_miss", "", "instructions"),
                Panel(
                    "Instructions",
                    "million/s",
                    _BY_TYPE,
                    "sum(instructions) / 1e6 / max(interval_seconds)",
                    series="processor_type",
                    order=("CP", "zIIP"),
                    merge="rate",
                    empty=_NO_COUNTERS,
                ),
                Panel(
                    "Processors busy",
                    "processors",
                    _BY_TYPE,
                    "sum(processors_busy)",
                    series="processor_type",
                    order=("CP", "zIIP"),
                    merge="rate",
                    empty=_NO_COUNTERS,
                ),
                _counter(
                    "Problem state",
                    "% of instructions",
                    "problem_state_percent",
                    "Programs, not the system.",
                    "instructions",
                ),
                _counter("Effective clock", "GHz", "effective_ghz", "", "interval_seconds"),
            ),
            tables=(
                Table(
                    "",
                    "hardware_counters",
                    _COUNTERS,
                    {
                        "start": Column("Start", "interval_start_utc"),
                        "machine": Column("Machine", "machine_type || '-' || machine_model"),
                        "generation": Column("Generation", "generation"),
                        "processors": Column("Processors", "processors"),
                        "cpi": Column("CPI", "cpi"),
                        "rni": Column("RNI", "rni"),
                        "rni_class": Column("Class", "rni_class"),
                        "rni_verified": Column("RNI formula published", "rni_verified"),
                        "l1": Column("L1 misses, %", "l1_miss_percent"),
                        "mips": Column("Million instructions/s", "mips"),
                        "levels": Column("Nesting levels", "nesting_levels"),
                        "drawers": Column("Containers, level 1", "containers_level_1"),
                        "lost": Column("Data lost", "lost_data"),
                    },
                    order='"start"',
                ),
            ),
        ),
    ),
)
