"""Crypto cards and the counters of processors: SMF 70-2 and 113."""

from __future__ import annotations

from typing import Any

from app.results.queries.owners import with_sysplex
from app.results.queries.systems import Page, Panel, Section, Table, Tile

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


def _counter(title: str, unit: str, column: str, meaning: str) -> Panel:
    return Panel(
        title,
        unit,
        _BY_TYPE,
        column,
        series="processor_type",
        order=("CP", "zIIP"),
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
        Tile("CPI", "", _COUNTERS, "cpi", "cycles per instruction"),
        Tile(
            "RNI",
            "",
            _COUNTERS,
            "rni",
            "relative nest intensity: {}",
            "arg_max(rni_class, instructions)",
        ),
        Tile("L1 misses", "%", _COUNTERS, "l1_miss_percent", "of instructions"),
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
                    "utilisation_percent",
                    "the machine",
                    "All systems of the machine.",
                    ranked="use",
                ),
                _card(
                    "Use of cards by the system",
                    "% of the card",
                    "utilisation_percent",
                    "the system",
                    "",
                    ranked="use",
                ),
                _card(
                    "Operations by card",
                    "operations/s",
                    "operations / s",
                    "the system",
                    "",
                    ranked="operations",
                ),
                _card(
                    "Time per operation by card",
                    "µs per operation",
                    "average_execution_us",
                    "the system",
                    "",
                    ranked="time",
                ),
                _operation("Operations by kind", "operations/s", "operations / s"),
                _operation(
                    "Time per operation by kind", "µs per operation", "average_execution_us"
                ),
            ),
            tables=(
                Table(
                    "",
                    "crypto_operations",
                    _OPERATIONS,
                    by={
                        "card_type": ("Card", "card_type"),
                        "card_number": ("Number", "card_number"),
                        "scope": ("Of", "scope"),
                        "operation": ("Operation", "operation"),
                    },
                    columns={
                        "card_kind": ("Kind", "any_value(card_kind)"),
                        "operations": "Operations",
                        "rate": ("Most per second", "max(operations_per_second)"),
                        "time_us": ("Time, µs", "average_execution_us"),
                        "use": ("Use, most, %", "max(utilisation_percent)"),
                    },
                    order="scope desc, operations desc nulls last, card_type, card_number, "
                    "operation",
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
                ),
                Panel(
                    "CPI by part",
                    "cycles per instruction",
                    _BY_TYPE,
                    {"complexity": "complexity_cpi", "finite cache": "finite_cpi"},
                    help="Finite cache: waits for data beyond L1.",
                    empty=_NO_COUNTERS,
                ),
                _counter(
                    "Relative nest intensity (RNI)",
                    "RNI",
                    "rni",
                    "How far from the core data came from.",
                ),
                _counter("L1 misses", "% of instructions", "l1_miss_percent", ""),
                Panel(
                    "Where L1 misses were found",
                    "% of L1 misses",
                    _BY_TYPE,
                    _SOURCES,
                    empty=_NO_COUNTERS,
                ),
                _counter("Cycles per L1 miss", "cycles", "cycles_per_miss", ""),
                Panel(
                    "Instructions",
                    "million/s",
                    _BY_TYPE,
                    "instructions / 1e6 / s",
                    series="processor_type",
                    order=("CP", "zIIP"),
                    empty=_NO_COUNTERS,
                ),
                Panel(
                    "Processors busy",
                    "processors",
                    _BY_TYPE,
                    "processors_busy * interval_seconds / s",
                    series="processor_type",
                    order=("CP", "zIIP"),
                    empty=_NO_COUNTERS,
                ),
                _counter(
                    "Problem state",
                    "% of instructions",
                    "problem_state_percent",
                    "Programs, not the system.",
                ),
                _counter("Effective clock", "GHz", "effective_ghz", ""),
            ),
            tables=(
                Table(
                    "",
                    "hardware_counters",
                    _COUNTERS,
                    columns={
                        "start": ("Start", "interval_start_utc"),
                        "machine": ("Machine", "machine_type || '-' || machine_model"),
                        "generation": "Generation",
                        "processors": "Processors",
                        "cpi": "CPI",
                        "rni": "RNI",
                        "rni_class": "Class",
                        "rni_verified": "RNI formula published",
                        "l1": ("L1 misses, %", "l1_miss_percent"),
                        "mips": "Million instructions/s",
                        "levels": ("Nesting levels", "nesting_levels"),
                        "drawers": ("Containers, level 1", "containers_level_1"),
                        "lost": ("Data lost", "lost_data"),
                    },
                    order='"start"',
                ),
            ),
        ),
    ),
)
