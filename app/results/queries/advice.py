"""What the rules of the published documents say of loaded records and runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Formatter
from typing import Any

import polars as pl

from app.results.queries.health import finding, in_a_line, limits, verdicts
from app.results.queries.owners import OWNERS, record_owners
from app.results.queries.rules import RULES, Rule
from app.results.queries.scope import Scope
from app.results.reader import Reader
from app.results.words import counted
from expectations.verdicts.verdict import NOT_JUDGED, WITHIN
from ingest.lake.sql import literal

__all__ = ["Words", "judged", "judged_by", "origins"]

# The time of a campaign's runs, with a minute on either side.
_TIME = """
    select min(start_utc) - interval 1 minute, max(stop_utc) + interval 1 minute
    from marts.fct_run
    where origin = $origin and campaign = $campaign
"""
_LIMIT = re.compile(r"\$(warning|alarm)\[([\w-]+)\]")


class Words(Formatter):
    """Fills in evidence: numbers with the words that suit them.

    {n:is|are} depends on n, # being the number; with three forms the first is for none.
    {percent:more} is "47 % more" or "8.0 times the"; {percent:faster} "47 % faster" or "8.0 times
    as fast".
    """

    def format_field(self, value: Any, spec: str) -> Any:
        """Return a figure, or the words for it."""
        if spec in {"more", "faster"}:
            return _more(value, spec)
        if "|" not in spec:
            return super().format_field(value, spec)
        *none, single, many = spec.split("|")
        form = none[0] if none and value == 0 else single if value == 1 else many
        return form.replace("#", f"{value:,}")


def _more(percent: float, word: str) -> str:
    """Return a difference in words; what more than doubles is a multiple."""
    if percent > 100:
        return f"{1 + percent / 100:.1f} times {'the' if word == 'more' else 'as fast'}"
    less = "less" if word == "more" else "slower"
    return f"{abs(percent):.0f} % {word if percent >= 0 else less}"


def origins(reader: Reader) -> list[str]:
    """Return the origins of loaded records and runs, measured first."""
    return reader.frame(
        "select distinct origin from marts.dim_load where origin <> 'published' order by origin"
    ).to_series().to_list()  # fmt: skip


def judged(
    reader: Reader, origin: str, campaign: str | None = None, sysplex: str | None = None
) -> list[dict[str, Any]]:
    """Return each rule with its state: act, fine, or unknown if its records are missing.

    name, title, state, evidence (empty if unknown), do, needs, source. Judged on a campaign, a
    sysplex ("none": systems without one), or all that is loaded.
    """
    return judged_by(RULES, reader, origin, campaign, sysplex)


def judged_by(
    rules: Sequence[Rule],
    reader: Reader,
    origin: str,
    campaign: str | None = None,
    sysplex: str | None = None,
) -> list[dict[str, Any]]:
    """Return what `judged` does of some rules. Raises SettingsError if limits cannot be read."""
    scope = {"origin": origin, "campaign": campaign, "sysplex": sysplex}
    held = limits()
    named = {
        limit_name: {name: getattr(check, limit_name) for name, check in held.items()}
        for limit_name in ("warning", "alarm")
    }
    return [_judged(reader, rule, scope, named) for rule in rules]


def _judged(
    reader: Reader, rule: Rule, scope: dict[str, str | None], named: dict[str, dict[str, float]]
) -> dict[str, Any]:
    if rule.checks:
        row = _of_checks(reader, rule.checks, scope)
    else:
        sql = _LIMIT.sub(lambda limit: str(named[limit[1]][limit[2]]), rule.sql)
        row = next(_query(reader, sql, scope).iter_rows(named=True), {})
    is_known = row.get("acts") is not None
    acts = is_known and bool(row["acts"])
    text = rule.evidence if acts or not rule.kept else rule.kept
    return {
        "name": rule.name,
        "title": rule.title,
        "state": ("act" if acts else "fine") if is_known else "unknown",
        "evidence": Words().vformat(text, (), row | named) if is_known else "",
        "do": Words().vformat(rule.do, (), named),
        "needs": rule.needs,
        "source": rule.source,
    }


def _of_checks(
    reader: Reader, checks: Sequence[str], scope: dict[str, str | None]
) -> dict[str, Any]:
    """Return, as a query would, whether a check of health fails in the scope, and the worst."""
    kind = limits()[checks[0]].kind
    owner, plex = OWNERS[kind], scope["sysplex"]
    systems = {of_system.label for of_system in record_owners(reader, OWNERS["system"])}
    systems_here = {
        name.split("/")[-1] for name in systems if plex in (None, *name.split("/")[:-1])
    }
    if plex == "none":
        systems_here = {name for name in systems if "/" not in name}
    owners = [
        record_owner
        for record_owner in record_owners(reader, owner)
        if record_owner.origin == scope["origin"]
        and (plex is None or record_owner.label.split("/")[owner.system] in systems_here)
    ]
    start, end = _query(reader, _TIME, scope).row(0)
    if not owners or (scope["campaign"] and start is None):
        return {}
    shown = Scope(
        str(scope["origin"]), tuple(record_owner.label for record_owner in owners),
        start or min(record_owner.start for record_owner in owners),
        end or max(record_owner.end for record_owner in owners), owner.name,
    )  # fmt: skip
    first, *others = verdicts(reader, shown, kind, checks).to_dicts()
    if first["verdict"] == NOT_JUDGED:
        return {}
    like = [
        first,
        *(r for r in others if (r["name"], r["verdict"]) == (first["name"], first["verdict"])),
    ]
    row = (min if first["is_below"] else max)(like, key=lambda row: row["value"])
    often = f"beyond it in {row['beyond']:,} of {counted(row['intervals'], 'interval')}"
    text = in_a_line(finding(row, shown.origin))
    return {"acts": row["verdict"] != WITHIN, "worst": f"{text}, {often}"}


def _query(reader: Reader, sql: str, scope: dict[str, str | None]) -> pl.DataFrame:
    for name, value in scope.items():
        # a bound parameter would make DuckDB import pandas, which takes longer than all rules
        sql = sql.replace(f"${name}", literal(value) if value else "NULL")
    return reader.frame(sql)
