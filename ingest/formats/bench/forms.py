r"""Outputs of tools as declarations: how one is recognised, and where its figures stand.

A figure is declared in one line. A team can do so for a tool of its own (docs/your-results.md):

    mean [ms] = latencies/mean * 1e-6          in JSON: keys, and what the value is multiplied by
    {} [ms] = ^ +(?P<of>\d+)% +{n}$            in text: a regular expression

Of several places of a metric in JSON the first that is there counts. There, a * in a key matches a
number, the {} of the metric as a percentile; a unit *NAME is what the entry says. In text, {n} is a
number, {k} one with commas between thousands, {s} one such as 12.3k, {t} a duration in ms, {b} a
size in MB, {c} hours, minutes and seconds; the group `of` is the {} of the metric (with `of2`),
`all` what the value is divided by, `since` the time of day that it is counted from, `u` its unit,
which the figure has where it is declared as *u. `more` or `less` after the unit is the direction.
The metrics seconds and start are those of the run; the units label and factor make labels and
factors.

A document is one run. In a text, a run ends where one of its figures comes again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC
from functools import cache
from typing import Any, NamedTuple

from ingest.formats.bench.cells import moment
from ingest.formats.bench.printed import number, percentile, plain
from ingest.formats.bench.results import Entry, Execution, Figure, duration_of, runs_of
from ingest.formats.bench.units import conversion, unit_of
from ingest.formats.bench.values import FaultError
from ingest.formats.text.parser import Rejected

__all__ = ["Named", "Tool"]

_DECLARED = re.compile(r"(.*?) ?\[([^\]]*?)(?:, (more|less))?\] = (.*?)(?: \* ([\d.e+-]+))?")
_PLACES = {
    "{n}": r"(?P<n>[-+]?\d[\d.,]*(?:[eE][-+]?\d+)?)(?<![.,])",
    "{k}": r"(?P<k>\d[\d,]*(?:\.\d+)?)",
    "{s}": r"(?P<s>\d[\d.]* ?[kKMG]?)",
    "{t}": r"(?P<t>(?:\d[\d.]* ?(?:[nuµm]?s|m|h)(?![a-z]))+)",
    "{b}": r"(?P<b>\d[\d.]* ?[kKMGT]?i?B)",
    "{c}": r"(?P<c>[\d:.]+)",
}
_SI = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}


def _milliseconds(text: str) -> float | None:
    seconds = duration_of(text.replace(" ", ""))
    return None if seconds is None else round(1000 * seconds, 9)


def _megabytes(text: str) -> float:
    amount, unit = re.split(r"(?<=[\d.]) ?(?=[A-Za-z])", text)
    return float(amount) * (conversion(unit_of(unit).replace("i", ""), "MB") or 0)


def _clock(text: str) -> float:
    return sum(float(at) * 60**n for n, at in enumerate(reversed(text.split(":"))))


_READ: dict[str, Callable[[str], float | None]] = {
    "n": number,
    "k": lambda text: number(text.replace(",", "")),
    "s": lambda text: float(text.rstrip(" kKMG")) * _SI.get(text[-1], 1),
    "t": _milliseconds,
    "b": _megabytes,
    "c": _clock,
}


class Named(NamedTuple):
    """What was measured: name, the tree of its figures, why it failed, and its surroundings."""

    name: str
    values: Any
    failed: str = ""
    context: Mapping[str, object] = {}


class _Where(NamedTuple):
    """A figure as it is declared."""

    metric: str
    unit: str
    place: str
    factor: float
    more_is_better: bool | None

    @property
    def is_of_run(self) -> bool:
        """Return whether it is no figure, but says when the run was, what of, or its name."""
        return self.unit in ("label", "factor") or self.metric in ("seconds", "start")

    def value(self, match: re.Match[str]) -> float | None:
        """Return the value of a figure in a text."""
        named = {key: text for key, text in match.groupdict().items() if text is not None}
        value = next((read(named[key]) for key, read in _READ.items() if key in named), None)
        if value is not None and "u" in named and self.unit != "*u":
            scale = conversion(unit_of(named["u"]), self.unit)
            value = None if scale is None else value * scale
        if value is not None and "since" in named:
            value = (value - _clock(named["since"])) % 86400
        if value is not None and "all" in named:
            whole = number(named["all"])
            value = value / whole if whole else None
        return None if value is None else round(value * self.factor, 12)


@cache
def _where(declared: str) -> _Where:
    match = _DECLARED.fullmatch(declared)
    if not match:
        raise ValueError(f"not METRIC [UNIT] = PLACE: {declared}")
    metric, unit, more, column, factor = match.groups()
    return _Where(metric, unit, column, float(factor or 1), more == "more" if more else None)


@cache
def _pattern(place: str) -> re.Pattern[str]:
    for name, pattern in _PLACES.items():
        place = place.replace(name, pattern)
    return re.compile(place, re.MULTILINE)


class Tool(NamedTuple):
    """One tool's output. A text is recognised by all its marks, which are regular expressions."""

    name: str
    marks: tuple[str, ...]
    figures: tuple[str, ...] = ()
    entries: Callable[[Any], Iterable[Named]] = lambda document: [Named("", document)]
    is_text: bool = False
    prepare: Callable[[str], str] = str
    failed: str = ""  # matches the line of a text that says that a run failed
    document: Callable[[str], Any] | None = None  # of what is not JSON, the same tree
    read: Callable[[str], Iterable[Execution]] | None = None  # of what is neither

    def executions(self, content: bytes) -> list[Execution]:
        """Return the runs of an output, and those that failed as a whole. Raises FaultError."""
        try:
            text = plain(content.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise FaultError("not UTF-8", line) from None
        read = self.read or (self._of_text if self.is_text else self._of_documents)
        try:
            runs = [run for run in read(self.prepare(text)) if run.figures or run.rejected]
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
            if isinstance(error, FaultError):
                raise
            raise FaultError(
                f"looks like an output of {self.name}, but is built otherwise"
            ) from None
        if not runs:
            raise FaultError(f"an output of {self.name} without figures: was it cut short?")
        return runs

    def _of_text(self, text: str) -> Iterator[Execution]:
        matches = sorted(
            (match.end(), at, match)
            for at, where in enumerate(map(_where, self.figures))
            for match in _pattern(where.place).finditer(text)
        )
        runs: list[dict[tuple[int, str], re.Match[str]]] = [{}]
        for _, at, match in matches:
            given = match.groupdict()
            key = at, " ".join(f"{given.get('of') or ''} {given.get('of2') or ''}".split())
            if key in runs[-1]:
                runs.append({})
            runs[-1][key] = match
        begin = 0
        for index, run in enumerate(runs, 1):
            stop = max((match.end() for match in run.values()), default=0)
            part = text[begin : stop if index < len(runs) else len(text)]
            failure = _pattern(self.failed).search(part) if self.failed else None
            figures, of_run = [], {}
            for (at, part_of_run), match in sorted(run.items(), key=lambda item: item[0][0]):
                where = _where(self.figures[at])
                value = where.value(match)
                if where.is_of_run:
                    of_run[where] = value
                elif value is not None:
                    metric = where.metric.format(
                        percentile(part_of_run) if number(part_of_run) else part_of_run
                    )
                    unit = match["u"] if where.unit == "*u" else where.unit
                    figures.append(Figure(metric.strip(), value, unit, where.more_is_better))
            first = min((match.start() for match in run.values()), default=begin)
            context, given = _of_run(of_run)
            entry = Entry("", figures, failure[0].strip() if failure else "", context)
            yield from runs_of([entry], line=text.count("\n", 0, first) + 1, **given)
            begin = stop

    def _of_documents(self, text: str) -> Iterator[Execution]:
        documents = [(self.document(text), 1)] if self.document else _documents(text)
        wheres = list(map(_where, self.figures))
        for document, line in documents:
            if isinstance(document, FaultError):
                yield Execution([], line=line, rejected=[Rejected(document.line, str(document))])
                continue
            of_run = {
                where: value if where.factor == 1 else (number(value) or 0) * where.factor
                for where in wheres
                if where.is_of_run
                for _, value in _walk(document, where.place.split("/"))
            }
            context, given = _of_run(of_run)
            entries = []
            for entry in self.entries(document):
                figures: dict[str, Figure] = {}  # the first place of a metric counts
                for where in wheres:
                    for figure in () if where.is_of_run else _figures_of(where, entry.values):
                        figures.setdefault(figure.metric, figure)
                surroundings = {**context, **entry.context}
                entries.append(Entry(entry.name, [*figures.values()], entry.failed, surroundings))
            yield from runs_of([e for e in entries if e.figures or e.failed], line=line, **given)


def _of_run(values: Mapping[_Where, Any]) -> tuple[dict[str, object], dict[str, Any]]:
    """Return factors of a run, and start, length and labels; the last declaration counts."""
    of_run: dict[str, Any] = {"labels": {}}
    factors = {where.metric: value for where, value in values.items() if where.unit == "factor"}
    for where, value in values.items():
        if where.metric == "seconds" and (seconds := number(value)):
            of_run["seconds"] = seconds
        elif where.metric == "start" and (start := moment(str(value))):
            is_utc = where.unit == "UTC" and start.tzinfo is None
            of_run["start"] = start.replace(tzinfo=UTC) if is_utc else start
        elif where.unit == "label" and value:
            of_run["labels"][where.metric] = value
    return factors, of_run


def _documents(text: str) -> Iterator[tuple[Any, int]]:
    """Yield the JSON documents in a text, which may have other lines between them, and their lines.

    One that is cut short is a fault: it is raised if it is the first, and yielded otherwise.
    """
    begins, stop, count = re.compile(r"^[ \t]*[{\[](?=\s*[\"{}\[\]])", re.MULTILINE), 0, 0
    while match := begins.search(text, stop):
        at, line = match.end() - 1, text.count("\n", 0, match.end()) + 1
        try:
            document, stop = json.JSONDecoder().raw_decode(text, at)
        except json.JSONDecodeError as error:
            fault = FaultError(f"not JSON: {error.msg}; was the file cut short?", error.lineno)
            if not count:
                raise fault from None
            yield fault, line
            return
        except (RecursionError, ValueError) as error:
            raise FaultError(f"cannot be read: {error}") from None
        count += 1
        yield document, line if count > 1 else 1


def _figures_of(where: _Where, entry: Any) -> Iterator[Figure]:
    for matched, value in _walk(entry, where.place.split("/")):
        figure = number(value)
        if figure is not None:
            unit = entry[where.unit[1:]] if where.unit.startswith("*") else where.unit
            metric = where.metric.format(percentile(matched))
            yield Figure(metric, round(figure * where.factor, 12), unit, where.more_is_better)


def _walk(value: Any, path: list[str], matched: str = "") -> Iterator[tuple[str, Any]]:
    if not path:
        yield matched, value
    elif isinstance(value, Mapping):
        first, *rest = path
        if "*" not in first:
            if first in value:
                yield from _walk(value[first], rest, matched)
            return
        pattern = re.escape(first).replace(r"\*", r"(\d+(?:[._]\d+)?)")
        for key in value:
            if match := re.fullmatch(pattern, str(key)):
                yield from _walk(value[key], rest, match[1].replace("_", "."))
