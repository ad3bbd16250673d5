"""The sides of a comparison: which runs each one means.

A side is a mapping of terms, each a name and a level: labels of runs (campaign, git_revision,
mq_level, machine, run_id), their origin, factors, the first and last build of a range, and the
dates between which runs began. The level None means that a factor is not set. The terms `published`
and `predicted` stand for figures instead of runs: those of a document, or of all if it is None.

Values are written into the SQL as literals: a bound parameter makes DuckDB import pandas, which
takes longer than a comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

import duckdb

from app.results.labels import factor_label, setting_label, small
from app.results.suggest import did_you_mean
from ingest.base.errors import RequestError
from ingest.formats.bench.factors import ALIASES
from ingest.lake.sql import identifier, literal

__all__ = ["FIRST_BUILD", "LABELS", "LAST_BUILD", "PREDICTED", "PUBLISHED", "RUNS", "Factors",
           "SelectionError", "Side", "Terms", "condition", "describe_terms", "factors_of",
           "find_side", "join_terms", "parse_held", "parse_terms", "write_held",
           "write_terms"]  # fmt: skip

Terms: TypeAlias = Mapping[str, str | None]
#: The names of factors, and their SQL on a row `c` of marts.dim_configuration.
Factors: TypeAlias = Mapping[str, str]

#: Columns of marts.fct_run that a bare name is looked up in, in this order.
LABELS = ("campaign", "git_revision", "mq_level", "machine", "run_id")
FIRST_BUILD, LAST_BUILD = "first_build", "last_build"
SINCE, UNTIL = "since", "until"
PUBLISHED, PREDICTED = "published", "predicted"
_OF_RUN = (*LABELS, "origin", FIRST_BUILD, LAST_BUILD, SINCE, UNTIL)
_NOT_FACTORS = frozenset((
    "configuration_id", "factors_id", "origin", "source_id", "record_no", "configuration",
    "x_factors", "runs", "origins", "machine", "mq_level",
))  # fmt: skip
# name="level, with a comma", name=level or a bare name
_TERM = re.compile(
    r"""\s*(?:(?P<name>[^,"=]+?)\s*=\s*)?(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^,"]*?))\s*(?:,|$)"""
)
RUNS = "marts.fct_run r JOIN marts.dim_configuration c USING (configuration_id)"


class SelectionError(RequestError):
    """A side names no runs, or the sides cannot be compared.

    what: the reason, without the options to try. apart: factors whose levels the sides never share.
    """

    def __init__(self, what: str, apart: Iterable[str] = ()) -> None:
        self.what, self.apart = what, list(apart)
        options = " ".join(f"--ignore {name}" for name in self.apart)
        super().__init__(f"{what}: try {options}" if options else what)


@dataclass(frozen=True, slots=True)
class Side:
    """One side: its name, the terms that choose its runs, their origin and number.

    builds: how many builds they are of; first_utc, last_utc: when the first and the last run began.
    A side of published or predicted figures has no runs, and that word as its origin.
    """

    name: str
    terms: dict[str, str | None]
    origin: str
    runs: int
    builds: int = 0
    first_utc: datetime | None = None
    last_utc: datetime | None = None

    @property
    def is_reference(self) -> bool:
        """Whether the side is published or predicted figures, which stand alone."""
        return PUBLISHED in self.terms or PREDICTED in self.terms

    @property
    def days(self) -> str:
        """The days of its first and last run, '' if they are not known."""
        moments = (self.first_utc, self.last_utc)
        return " to ".join(dict.fromkeys(f"{t:%Y-%m-%d}" for t in moments if t))

    @property
    def of_builds(self) -> str:
        """Of how many builds it is, '' of one."""
        return f" of {self.builds} builds" if self.builds > 1 else ""


def parse_terms(db: duckdb.DuckDBPyConnection, text: str) -> dict[str, str | None]:
    """Return the terms that a text means, as it is typed: one name, or terms between commas.

    A bare name is the level of a label; A..B is a range of builds; `published` and `predicted` are
    figures; NAME= is a factor that is not set. A level with a comma stands in double quotes, where
    "" is a quote; a bare name that is a level as a whole needs none. Raises SelectionError.
    """
    if label := _label_of(db, text.strip()):
        return {label: text.strip()}
    terms: dict[str, str | None] = {}
    for name, level, is_quoted in _terms(text):
        if name:
            terms[name] = None if level == "" and not is_quoted else level
        else:
            terms |= _bare(db, level, quoted=is_quoted)
    return terms or _bare(db, "", quoted=False)


def _terms(text: str) -> Iterator[tuple[str | None, str, bool]]:
    """Yield the name of each term, its level, and whether that was quoted."""
    position = 0
    while position < len(text):
        match = _TERM.match(text, position)
        if match is None:
            raise SelectionError(f"{text!r}: put a level with a comma or a quote in double quotes")
        position = match.end()
        name, quoted, plain = match.group("name", "quoted", "plain")
        name = ALIASES.get(name, name)
        yield name, plain if quoted is None else quoted.replace('""', '"'), quoted is not None


def write_terms(terms: Terms) -> str:
    """Return terms as `parse_terms` takes them."""

    def term(name: str, level: str | None) -> str:
        if level is None:
            return name if name in {PUBLISHED, PREDICTED} else f"{name}="
        if not level or "," in level or '"' in level:
            level = '"' + level.replace('"', '""') + '"'
        return f"{name}={level}"

    return ",".join(term(*item) for item in terms.items())


def write_held(held: Mapping[str, Sequence[str | None]]) -> str:
    """Return the levels that both sides must have as `parse_held` takes them."""
    return ",".join(write_terms({name: level}) for name, levels in held.items() for level in levels)


def parse_held(text: str) -> dict[str, list[str | None]]:
    """Return the levels that both sides must have, by factor, of terms between commas.

    A factor that is named several times may have any of these levels; NAME= is one that is not
    set. Raises SelectionError.
    """
    held: dict[str, list[str | None]] = {}
    for name, level, is_quoted in _terms(text):
        if not name:
            raise SelectionError(f"{level!r}: write FACTOR=LEVEL")
        held.setdefault(name, []).append(None if level == "" and not is_quoted else level)
    return held


def describe_terms(terms: Terms) -> str:
    """Return a side as a title says it.

    >>> describe_terms({"machine": "z16"}), describe_terms({"git_revision": "4e1f2ab", "tls": "N"})
    ('z16', 'build 4e1f2ab, no TLS')
    """
    words = {
        "machine": "", "git_revision": "build ", "mq_level": "MQ ", "campaign": "campaign ",
        "run_id": "run ", FIRST_BUILD: "builds from ", LAST_BUILD: "to ", SINCE: "since ",
        UNTIL: "until ", PUBLISHED: "the published figures of document ",
        PREDICTED: "the predictions of ",
    }  # fmt: skip
    alone = {PUBLISHED: "the published figures", PREDICTED: "the predictions"}
    words_of_terms = [
        alone.get(name, f"{small(factor_label(name))} not set")
        if level is None
        else f"{words[name]}{level}"
        if name in words
        else setting_label(name, level)
        for name, level in terms.items()
    ]
    return ", ".join(words_of_terms).replace(f", {words[LAST_BUILD]}", f" {words[LAST_BUILD]}")


def _bare(db: duckdb.DuckDBPyConnection, text: str, *, quoted: bool) -> dict[str, str | None]:
    if label := _label_of(db, text):
        return {label: text}
    if text in {PUBLISHED, PREDICTED} and not quoted:
        return {text: None}
    first, dots, last = text.partition("..")
    if dots and not quoted and first and last:
        return {FIRST_BUILD: first, LAST_BUILD: last}
    levels_of_labels = {label: _levels_of(db, label) for label in LABELS}
    near = [f"{label}={level}" for label in LABELS[:-1] for level in levels_of_labels[label][:3]]
    hint = did_you_mean(
        text, [level for levels in levels_of_labels.values() for level in levels]
    ) or (f"; there are {', '.join(near)}" if near else ": the warehouse has no runs")
    raise SelectionError(f"{text!r} is no {', '.join(LABELS[:-1])} or {LABELS[-1]}{hint}")


def _label_of(db: duckdb.DuckDBPyConnection, level: str) -> str | None:
    """Return the label that has this level. Raises SelectionError if several have it."""
    labels = [label for label in LABELS if _label_has(db, label, level)]
    if len(labels) > 1 and not _are_same_runs(db, labels, level):
        choices = " or ".join(write_terms({label: level}) for label in labels)
        raise SelectionError(f"{level!r} is more than one thing: write {choices}")
    return labels[0] if labels else None


def _are_same_runs(db: duckdb.DuckDBPyConnection, labels: Sequence[str], level: str) -> bool:
    """Return whether each of these labels means the same runs."""
    first, *others = (f"({label} IS NOT DISTINCT FROM {literal(level)})" for label in labels)
    differ = " OR ".join(f"{other} <> {first}" for other in others)
    return not db.execute(f"SELECT 1 FROM marts.fct_run WHERE {differ} LIMIT 1").fetchall()


def _label_has(db: duckdb.DuckDBPyConnection, label: str, level: str) -> bool:
    query = f"SELECT 1 FROM marts.fct_run WHERE {label} = {literal(level)} LIMIT 1"
    return bool(db.execute(query).fetchall())


def _levels_of(db: duckdb.DuckDBPyConnection, label: str) -> list[str]:
    """Return the levels of a label, the latest first."""
    return [
        level
        for (level,) in db.execute(
            f"SELECT {label} FROM marts.fct_run WHERE {label} IS NOT NULL "
            f"GROUP BY 1 ORDER BY max(start_utc) DESC, 1"
        ).fetchall()
    ]


def factors_of(db: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return the factors of configurations: columns, then the names of a site's own."""
    columns = db.execute("SELECT column_name FROM (DESCRIBE marts.dim_configuration)").fetchall()
    site_factors = db.execute(
        "SELECT DISTINCT unnest(map_keys(x_factors)) FROM marts.dim_configuration ORDER BY 1"
    ).fetchall()
    return {name: f"c.x_factors[{literal(name)}]" for (name,) in site_factors} | {
        name: f"c.{identifier(name)}" for (name,) in columns if name not in _NOT_FACTORS
    }


def find_side(db: duckdb.DuckDBPyConnection, terms: Terms, factors: Factors, held: str) -> Side:
    """Return the side that terms choose; all of its runs have one origin.

    `held`: a condition on runs `r` and configurations `c` that holds on both sides. Raises
    SelectionError.
    """
    for kind in (PUBLISHED, PREDICTED):
        if kind in terms:
            if len(terms) > 1:
                raise SelectionError(f"{kind} figures take no other term: {join_terms(terms)}")
            return Side(_name(terms), dict(terms), kind, 0)
    origins = db.execute(
        "SELECT r.origin, count(DISTINCT r.run_id), count(DISTINCT r.git_revision),"
        f" min(r.start_utc), max(r.start_utc) FROM {RUNS}"
        f" WHERE {condition(terms, factors)} AND {held} GROUP BY 1 ORDER BY 1"
    ).fetchall()
    if not origins:
        near = "".join(
            did_you_mean(level, _levels_of(db, name))
            for name, level in terms.items()
            if name in LABELS and level and not _label_has(db, name, level)
        )
        near += "".join(
            f"; no build is named {level!r}"
            for level in map(terms.get, (FIRST_BUILD, LAST_BUILD))
            if level and not _label_has(db, "git_revision", level)
        )
        raise SelectionError(f"no run has {join_terms(terms, ' and ')}{near}")
    if len(origins) > 1:
        several = " and ".join(f"{n:,} {origin}" for origin, n, *_ in origins)
        raise SelectionError(
            f"{join_terms(terms)!r} names {several} runs: choose with ,origin={origins[0][0]}"
        )
    return Side(_name(terms), dict(terms), *origins[0])


def condition(terms: Terms, factors: Factors) -> str:
    """Return the SQL condition on runs `r` and configurations `c`. Raises SelectionError."""
    if unknown := [name for name in terms if name not in {*_OF_RUN, *factors}]:
        known_names = (*_OF_RUN, *factors, PUBLISHED, PREDICTED)
        near = did_you_mean(unknown[0], known_names) or f"; known: {', '.join(known_names)}"
        raise SelectionError(f"no factor or label is named {unknown[0]!r}{near}")
    rest = {name: level for name, level in terms.items() if name not in {FIRST_BUILD, LAST_BUILD}}
    tests = [_test(name, level, factors) for name, level in rest.items()]
    if FIRST_BUILD in terms or LAST_BUILD in terms:
        among = [
            _test(name, rest[name], factors) for name in ("origin", "campaign") if name in rest
        ]
        tests.append(_between(terms, " AND ".join(among) or "true"))
    return " AND ".join(tests) or "true"


def _test(name: str, level: str | None, factors: Factors) -> str:
    if name in {SINCE, UNTIL}:
        return _begun(name, level)
    column = f"r.{name}" if name in _OF_RUN else factors[name]
    if level is None:
        return f"{column} IS NULL"
    value = literal(level)
    if name in _OF_RUN:
        return f"{column} = {value}"
    text = f"{column}::VARCHAR"  # 10 equals 10.0
    as_number = f"try_cast({text} AS DOUBLE) = try_cast({value} AS DOUBLE)"
    return f"({text} = {value} OR {as_number})"


def _begun(name: str, level: str | None) -> str:
    """Return the condition on the start of a run; a date alone means its whole day."""
    try:
        moment = datetime.fromisoformat(level or "")
    except ValueError:
        raise SelectionError(f"{name}={level}: no date such as 2026-03-01") from None
    if moment.tzinfo is not None:
        raise SelectionError(f"{name}={level}: leave out the time zone; times are UTC")
    if name == SINCE:
        return f"r.start_utc >= TIMESTAMP '{moment}'"
    if level == f"{moment:%Y-%m-%d}":
        moment += timedelta(days=1)
    return f"r.start_utc < TIMESTAMP '{moment}'"


def _between(terms: Terms, rest: str) -> str:
    """Return the condition that a run's build began between two builds, in either order.

    A build begins with its first run of the origin and campaign that `rest` chooses.
    """
    ends = [terms.get(name) for name in (FIRST_BUILD, LAST_BUILD)]
    named = ", ".join(literal(end) for end in ends if end is not None)
    if None in ends or FIRST_BUILD not in terms or LAST_BUILD not in terms:
        raise SelectionError(f"a range of builds has a {FIRST_BUILD} and a {LAST_BUILD}")
    built = (
        f"(SELECT r.git_revision AS build, min(r.start_utc) AS first_utc FROM {RUNS}"
        f" WHERE r.git_revision IS NOT NULL AND {rest} GROUP BY 1)"
    )
    of_ends = f"FROM {built} WHERE build IN ({named})"
    return (
        f"r.git_revision IN (SELECT build FROM {built} WHERE"
        f" first_utc BETWEEN (SELECT min(first_utc) {of_ends})"
        f" AND (SELECT max(first_utc) {of_ends})"
        f" AND (SELECT count(*) {of_ends}) = {len(set(ends))})"
    )


def join_terms(terms: Terms, word: str = ",") -> str:
    """Return terms as they are write_terms, but for quotes."""
    return word.join(
        name if level is None and name in {PUBLISHED, PREDICTED} else f"{name}={level or ''}"
        for name, level in terms.items()
    )


def _name(terms: Terms) -> str:
    """Return the name of a side: its labels and factors in words, without its origin."""
    ends = [str(terms[end]) for end in (FIRST_BUILD, LAST_BUILD) if end in terms]
    names = [" to ".join(dict.fromkeys(ends))] if ends else []
    for name, level in terms.items():
        if name in {PUBLISHED, PREDICTED}:
            names.append(f"{name} figures" + (f" of {level}" if level else ""))
        elif name in LABELS and level is not None:
            names.append(level)
        elif name not in {"origin", FIRST_BUILD, LAST_BUILD}:
            names.append(describe_terms({name: level}))
    return ", ".join(names) or join_terms(terms)
