"""What the audit knows of one mart; the marts of each family are listed in modules of their own."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Mart", "rate"]


@dataclass(frozen=True, slots=True)
class Mart:
    """What is known of one mart beyond its columns' names and types.

    `grain` names the columns that no two rows share; those in `optional` may be NULL. `signed`
    columns may be negative and exceed the bounds of a share; in a mart of printed figures
    (`printed`) all may. `sums` are pairs of expressions that agree in every row. `beside` names two
    columns with the same figure of two sources; `agrees` is false where they differ. `parts` is a
    finer mart, the columns that both share, and the columns whose totals agree. Every record
    that has a row in a table of `feeds`, and was kept, is behind some row; `records` is the model
    that says which are kept.
    """

    grain: tuple[str, ...]
    optional: tuple[str, ...] = ()
    signed: tuple[str, ...] = ()
    printed: bool = False
    sums: tuple[tuple[str, str], ...] = ()
    beside: tuple[str, str] | None = None
    parts: tuple[str, tuple[str, ...], tuple[str, ...]] | None = None
    feeds: tuple[str, ...] = ()
    records: str = "int_mq__record"


def rate(count: str, name: str | None = None) -> tuple[str, str]:
    """That a rate (by default the count's name and _per_second) times the interval is its count."""
    return f"{name or count + '_per_second'} * interval_seconds", count
