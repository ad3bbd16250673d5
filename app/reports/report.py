"""What a report is about: its options, its campaign, and the figures that its parts share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property

from app.reports.figures import Figure, Print, figures_of, prints_of
from app.reports.judging import Answer
from app.reports.presets import Preset, Row, Value, ask
from app.reports.text import fill_in
from app.reports.words import days
from app.results.queries.owners import OWNERS, record_owners
from app.results.queries.scope import Scope
from app.results.reader import Reader
from app.results.words import counted

__all__ = ["Report", "option_of"]

_AROUND = timedelta(hours=1)  # the time of runs that records of their systems are of


class Report:
    """A report that is being made: what its parts ask of the warehouse, each once.

    answers: of its contrasts so far, each with the title of its section; shown: the configurations
    that a section has had.
    """

    def __init__(self, reader: Reader, preset: Preset, options: Mapping[str, Value]) -> None:
        self.reader, self.preset = reader, preset
        self.values: Row = dict(options)
        self.answers: list[tuple[str, Answer]] = []
        self.shown: set[str] = set()
        self.about(options.get("campaign"), options.get("origin"))

    def about(self, campaign: Value, origin: Value) -> None:
        """Let questions be about this campaign: its time, and the systems of its records."""
        self.values |= {"campaign": campaign, "origin": origin}
        if not campaign:
            return
        result = self.reader.frame(
            """
            select
                count(*) as runs, count(*) filter (where is_compared) as complete_runs,
                count(distinct configuration_id) as configurations,
                min(start_utc) as first_utc, max(stop_utc) as last_utc,
                list_sort(list(distinct machine) filter (where machine is not null)) as machines,
                list_sort(list(distinct mq_level) filter (where mq_level is not null)) as mq_levels,
                count(distinct git_revision) as builds,
                arg_max(git_revision, start_utc) as last_build,
                list_sort(list(distinct driver) filter (where driver is not null)) as drivers,
                list_sort(list(distinct labels['authors']) filter (
                    where labels['authors'] is not null
                )) as authors,
                list_distinct(flatten(list(lpars))) as systems,
                list_distinct(flatten(list(source_ids))) as sources
            from marts.fct_run
            where campaign = ? and origin = coalesce(?, origin)
            """,
            (campaign, origin),
        ).row(0, named=True)
        self.values |= result
        self.values |= {
            "complete": counted(result["complete_runs"], "complete run"),
            "of_configurations": counted(result["configurations"], "configuration"),
            "days": days(result["first_utc"], result["last_utc"]),
            "from_utc": result["first_utc"] and result["first_utc"] - _AROUND,
            "until_utc": result["last_utc"] and result["last_utc"] + _AROUND,
        }

    @cached_property
    def scope(self) -> Scope | None:
        """The owner of records that it is about, and the last days of them; None of runs."""
        for kind, owner in OWNERS.items():
            if label := self.values.get(option_of(kind)):
                owners = record_owners(self.reader, owner)
                chosen = next(
                    o for o in owners if (o.label, o.origin) == (label, self.values["origin"])
                )
                start = chosen.end - timedelta(days=float(self.values.get("days") or 0))
                return Scope(
                    chosen.origin, (chosen.label,), max(start, chosen.start), chosen.end, owner.name
                )
        return None

    @cached_property
    def figures(self) -> list[Figure]:
        """The figures of the campaign."""
        return figures_of(self.reader, str(self.values["campaign"]), str(self.values["origin"]))

    @cached_property
    def prints(self) -> dict[tuple[str, str], Print]:
        """The printed figures of the campaign."""
        return prints_of(self.reader, str(self.values["campaign"]), str(self.values["origin"]))

    @cached_property
    def spaces(self) -> dict[str, dict[str, float]]:
        """CPU time per unit of work by address space of each configuration."""
        rows = self.reader.frame(
            "select configuration, address_space,"
            " coalesce(cost_per_GB, cost_per_transaction_us) as cost"
            " from marts.fct_cost_by_address_space where campaign = ? and origin = ?"
            " and kind not in ('workload', 'total')",
            (self.values["campaign"], self.values["origin"]),
        )
        result: dict[str, dict[str, float]] = {}
        for name, space, cost in rows.iter_rows():
            result.setdefault(name, {})[space] = cost or 0.0
        return result

    def ask(self, said: Mapping[str, object]) -> list[tuple[object, ...]]:
        """Return the rows of a question with the values of this report."""
        return ask(self.reader, self.preset, said, self.values)

    def said(self, text: str, *, plain: bool = False) -> str:
        """Return a declared text with the values of this report."""
        return fill_in(text, self.values, plain=plain)


def option_of(kind: str) -> str:
    """Return the name of the option that says which owner of a kind a report is about."""
    return kind.replace(" ", "_")
