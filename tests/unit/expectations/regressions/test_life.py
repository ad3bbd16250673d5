"""The lives of regressions over builds, as data: what each check says, line by line.

A life of lives.txt begins with `= ` and its name. Then come what happens and what is asked:

    c1 CHIN x1.3 in 30-49      a part, or `all`, of a configuration, or of `*`, in some nights
    c1 CHIN x1.01^n in 30-     compounded by night
    c1 CHIN x1.3 on days 30-49 the same of all runs on some days, whatever their build
    c1 as c3 in 50-            its runs are those of another configuration; `off`: there are none
    no rate in 30-35           a metric is not measured
    again 58-61 x3 on 70       builds of nights are run again on a later day, so many times
    late 57-64 until 75        runs that are not there before
    source amqsrua in 30-      what measures, if not what did before
    incomplete in 30-33: WHY   both runs of a night lack something
    repetitions 3              runs of a configuration each night
    band c1 120-140            what a model predicts of the rate
    instead                    all of the above is otherwise from now on
    answer acknowledged        a person says so of all that is known; `late`, `larger`: and it is
    judge 34                   a check after so many nights; its events follow, indented
    current                    all regressions; they follow

`pytest tests/unit/expectations/regressions/test_life.py --snapshot-update` writes what differs to
the file; read what git shows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest

from expectations.limits import read_limits
from expectations.regressions.judge import judge_build
from expectations.regressions.store import Row, read_current, write_events
from tests.kit.nights import build

FILE = Path(__file__).with_name("lives.txt")
LIVES = dict(re.findall(r"^= (.*)\n((?:(?!= ).*\n?)*)", FILE.read_text(), re.MULTILINE))
LIMITS = read_limits()
EFFECT = re.compile(r"(\S+) (\S+) x([\d.]+)(\^n)?")

Spans = tuple[str, str, float, bool, list[range]]


def nights(text: str) -> list[range]:
    """Return the nights of a text such as 30-35,40-."""
    ends = (part.partition("-") for part in text.split(","))
    return [range(int(a), int(b) + 1 if b else 1000 if dash else int(a) + 1) for a, dash, b in ends]


@dataclass
class World:
    """What happens in the nights."""

    effects: list[Spans] = field(default_factory=list)
    environment: list[Spans] = field(default_factory=list)
    names: list[tuple[str, str, list[range]]] = field(default_factory=list)
    missing: list[tuple[str, list[range]]] = field(default_factory=list)
    faults: list[tuple[str, list[range]]] = field(default_factory=list)
    bands: list[tuple[str, float, float]] = field(default_factory=list)
    repetitions: int = 1
    again: dict[int, dict[int, int]] = field(default_factory=dict)
    late: list[tuple[range, int]] = field(default_factory=list)
    sources: list[tuple[str, list[range]]] = field(default_factory=list)

    def take(self, line: str) -> None:
        is_of_day = " on days " in line
        what, _, when = line.partition(" on days " if is_of_day else " in ")
        if match := re.fullmatch(r"repetitions (\d+)", line):
            self.repetitions = int(match[1])
        elif match := re.fullmatch(r"band (\S+) (\d+)-(\d+)", line):
            self.bands.append((match[1], float(match[2]), float(match[3])))
        elif match := re.fullmatch(r"again (\S+) x(\d+) on (\d+)", line):
            builds = dict.fromkeys((n for span in nights(match[1]) for n in span), int(match[2]))
            self.again.setdefault(int(match[3]), {}).update(builds)
        elif match := re.fullmatch(r"late (\S+) until (\d+)", line):
            self.late += [(span, int(match[2])) for span in nights(match[1])]
        elif match := re.fullmatch(r"source (\S+)", what):
            self.sources.append((match[1], nights(when)))
        elif match := re.fullmatch(r"incomplete in (\S+): (.*)", line):
            self.faults.append((match[2], nights(match[1])))
        elif match := re.fullmatch(r"no (\S+)", what):
            self.missing.append((match[1], nights(when)))
        elif match := re.fullmatch(r"(\S+) (?:as (\S+)|off)", what):
            self.names.append((match[1], match[2] or "", nights(when)))
        elif match := EFFECT.fullmatch(what):
            configuration, part, factor, compounded = match.groups()
            effects = self.environment if is_of_day else self.effects
            effects.append((configuration, part, float(factor), bool(compounded), nights(when)))
        else:
            raise ValueError(line)

    def effect(self, configuration: str, metric: str, space: str | None, night: int) -> float:
        return self._product(self.effects, configuration, space or metric, night)

    def of_day(self, configuration: str, metric: str, space: str | None, day: int) -> float:
        return self._product(self.environment, configuration, space or metric, day)

    @staticmethod
    def _product(effects: list[Spans], configuration: str, what: str, night: int) -> float:
        found = 1.0
        for of, part, factor, compounded, when in effects:
            span = next((span for span in when if night in span), None)
            if span and of in ("*", configuration) and part in ("all", what):
                found *= factor ** (night - span.start + 1) if compounded else factor
        return found

    def runs_as(self, configuration: str, night: int) -> str | None:
        for of, name, when in self.names:
            if of in ("*", configuration) and _any(night, when):
                return name or None
        return configuration

    def lacks(self, metric: str, night: int) -> bool:
        return any(metric == name and _any(night, when) for name, when in self.missing)

    def fault(self, _configuration: str, night: int) -> str:
        return next((why for why, when in self.faults if _any(night, when)), "")

    def judged(self, count: int, folder: Path) -> Sequence[Row]:
        def runs_as(configuration: str, night: int) -> str | None:
            is_late = any(night in span and count < until for span, until in self.late)
            return None if is_late else self.runs_as(configuration, night)

        with build(
            *(count, self.effect, self.fault, self.repetitions, self.lacks, runs_as),
            *(self.again, self.of_day),
        ) as db:
            for configuration, low, high in self.bands:
                band = (configuration, "rate", "MB/s", (low + high) / 2, low, high)
                db.execute(
                    "INSERT INTO marts.fct_run_against_model VALUES (?, ?, ?, ?, ?, ?)", band
                )
            for source, when in self.sources:
                for span in when:
                    db.execute(
                        "UPDATE marts.fct_measurement SET value_source = $1 "
                        "WHERE substr(run_id, 4, 3)::INT BETWEEN $2 AND $3",
                        [source, span[0], span[-1]],
                    )
            return judge_build(db, folder, f"b{count}", LIMITS).events


def _any(night: int, when: list[range]) -> bool:
    return any(night in span for span in when)


def shown(events: Sequence[Row], groups: dict[str, str]) -> list[str]:
    """Return a line for each event; groups: their letters, which are added to."""
    return [_line(event, groups) for event in events]


def _line(event: Row, groups: dict[str, str]) -> str:
    group, _, number = event["regression_id"].partition(".")
    letter = groups.setdefault(group, "ABCDEFGH"[len(groups)])
    figure = " of ".join(filter(None, (event["metric"], event["address_space"])))
    words = [
        f"    {letter}.{number} {event['state']}: {event['kind']} of {event['configuration_id']}",
        figure,
        "" if event["change_percent"] is None else f"{event['change_percent']:+.0f} %",
        f"since {event['onset_run_id']}",
        event["recovered_run_id"] and f"to {event['recovered_run_id']}",
        f"({event['runs_before']} and {event['runs_after']} runs)",
        "leads" if event["leads"] else "",
        f"by {event['cause']}" if "%" in event["cause"] else "",
    ]
    message = event["message"].partition(", since run")[0]
    said = message.partition("simulated): ")[2] if event["kind"] in ("data", "model") else ""
    line = "; ".join(filter(None, (" ".join(filter(None, words)), said, event["note"])))
    for name, known in groups.items():
        line = line.replace(name, known)
    return line.rstrip(": ")


@pytest.mark.parametrize("name", LIVES)
def test_a_life_is_told_right(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    world, found, groups = World(), list[str](), dict[str, str]()
    for line in LIVES[name].rstrip().splitlines():
        if line.startswith("    "):
            continue
        found.append(line)
        word, _, rest = line.partition(" ")
        if word == "judge":
            found += shown(world.judged(int(rest), tmp_path), groups)
        elif word == "current":
            found += shown(read_current(tmp_path), groups)
        elif word == "answer":
            known = read_current(tmp_path)
            state, _, change = rest.partition(" ")
            rows = [{**row, "state": state.replace("_", " "), "by": "me"} for row in known]
            if change == "late":  # it was dated too late at first
                late = {"onset_run_id": "c1-038", "onset_utc": datetime(2026, 2, 8, 22)}
                rows = [{**row, **late} for row in rows]
            elif change == "larger":
                rows = [{**row, "after": 1.02 * row["after"]} for row in rows]
            write_events(rows, tmp_path)
        elif word == "instead":
            world = World()
        elif line:
            world.take(line)
    wanted, text = LIVES[name].rstrip(), "\n".join(found)
    if request.config.getoption("update_snapshots"):
        lives = FILE.read_text()
        FILE.write_text(lives.replace(f"= {name}\n{wanted}\n", f"= {name}\n{text}\n"))
        return
    assert text == wanted
