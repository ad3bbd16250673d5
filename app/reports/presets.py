"""Presets: what a report says and in which order, as files that a team can change.

A preset is a folder:

    preset.toml    title, what it is for, what it asks (its introduction), and its options;
                   form = "document": with a title page, contents and numbered sections
    report.md.j2   the text: CommonMark made by Jinja, with calls such as table(...) and chart(...)
    *.sql          the queries that the text names, with parameters such as $campaign

Folders are looked up in $PERFHOUSE_PRESETS (or presets/ in the data folder), and then in
app/reports/presets. Each file is looked up by itself, so a team's folder may hold only the query
that differs; what all presets share is in _common.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from app.pipeline.places import home
from app.reports.document import ReportError
from app.results.reader import Reader
from app.results.suggest import did_you_mean
from ingest.lake.locked import LockedError, require_reading

__all__ = ["Option", "Preset", "Value", "asked", "choices", "chosen", "preset_of", "presets"]

Value = str | int | float | None
_OURS = Path(__file__).with_name("presets")
_COMMON = "_common"
_KINDS = (str, int, float)
_FORMS = ("document", "note")


@dataclass(frozen=True, slots=True)
class Option:
    """What a person may choose: from the values of a query, or a text or number.

    `is_free`: any other value may be given too. `needs`: the records without which there is nothing
    to choose.
    """

    name: str
    label: str
    choices: str | None
    default: Value
    is_free: bool
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset: its folders, the first of which goes before the others."""

    name: str
    title: str
    purpose: str
    options: tuple[Option, ...]
    asks: str
    is_note: bool
    folders: tuple[Path, ...]

    def query(self, name: str) -> tuple[Path, str]:
        """Return the file and text of a query. Raises ReportError."""
        for folder in self.folders:
            file = folder / f"{name}.sql"
            if file.is_file():
                return file, _text(file)
        raise ReportError(f"preset {self.name}: there is no {name}.sql")


def _places() -> list[Path]:
    named = os.environ.get("PERFHOUSE_PRESETS")
    return [Path(named).absolute() if named else home() / "presets", _OURS]


def presets() -> list[Preset]:
    """Return all presets, those of the team first. Raises ReportError."""
    names = dict.fromkeys(
        file.parent.name
        for place in _places()
        for file in sorted(place.glob("*/preset.toml"))
        if file.parent.name != _COMMON
    )
    return [preset_of(name) for name in names]


def preset_of(name: str) -> Preset:
    """Return the preset of this name. Raises ReportError if it is unknown or not valid."""
    places = _places()
    folders = [place / name for place in places if Path(name).name == name and name != _COMMON]
    known = next((f / "preset.toml" for f in folders if (f / "preset.toml").is_file()), None)
    if known is None:
        names = sorted({f.parent.name for place in places for f in place.glob("*/preset.toml")})
        near = did_you_mean(name, names) or f"; known: {', '.join(names)}"
        raise ReportError(f"there is no report {name!r}{near}")
    try:
        said = tomllib.loads(_text(known))
        options = tuple(_option(*item) for item in said.get("options", {}).items())
        title, purpose = str(said["title"]), str(said["for"])
        asks = " ".join(str(said.get("asks", "")).split())
        if (form := said.get("form", "note")) not in _FORMS:
            raise ValueError(f"form is {' or '.join(_FORMS)}, not {form!r}")
    except (ValueError, TypeError, AttributeError) as error:
        raise ReportError(f"{known}: {error}") from None
    except KeyError as error:
        raise ReportError(f"{known}: {error.args[0]} is missing") from None
    shared = (place / _COMMON for place in places)
    return Preset(name, title, purpose, options, asks, form == "note", (*folders, *shared))


def _option(name: str, said: Mapping[str, object]) -> Option:
    if unknown := said.keys() - {"label", "choices", "default", "free", "needs"}:
        raise ValueError(f"option {name}: unknown {', '.join(sorted(unknown))}")
    default = said.get("default")
    if default is not None and not isinstance(default, _KINDS):
        raise ValueError(f"option {name}: its default is no text or number")
    return Option(
        name,
        str(said.get("label", name.capitalize())),
        str(said["choices"]) if "choices" in said else None,
        default,
        said.get("free") is True,
        str(said.get("needs", "")),
    )


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ReportError(f"{file}: {getattr(error, 'strerror', None) or error}") from None


def asked(
    reader: Reader, preset: Preset, name: str, values: Mapping[str, object]
) -> list[dict[str, object]]:
    """Return the rows of one of a preset's queries.

    Its parameters are bound by name; those that `values` lacks are NULL. Raises ReportError.
    """
    file, sql = preset.query(name)
    with reader.connection() as db:
        try:
            return _fetched(db, sql, values)
        except duckdb.Error as error:
            raise ReportError(f"{file}: {str(error).splitlines()[0]}") from None
        except LockedError as error:
            raise ReportError(f"{file}: {error}") from None


def _fetched(
    db: duckdb.DuckDBPyConnection, sql: str, values: Mapping[str, object]
) -> list[dict[str, object]]:
    require_reading(db, sql)
    names = set().union(*(s.named_parameters for s in db.extract_statements(sql)))
    bound = {name: values.get(name) for name in names}
    result = db.execute(sql, bound) if bound else db.execute(sql)
    columns = [column[0] for column in result.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]


def choices(
    reader: Reader, preset: Preset, option: Option, earlier: Mapping[str, Value]
) -> list[str]:
    """Return what an option offers, the default first; `earlier`: the options before it."""
    if option.choices is None:
        return []
    rows = asked(reader, preset, option.choices, earlier)
    return [str(next(iter(row.values()))) for row in rows]


def chosen(reader: Reader, preset: Preset, given: Mapping[str, Value]) -> dict[str, Value]:
    """Return the value of each option: what is given, or its default.

    Raises ReportError if an option is unknown, or its value is not among those it offers.
    """
    known = [option.name for option in preset.options]
    if unknown := [name for name in given if name not in known]:
        has = f"it has {', '.join(known)}" if known else "it has none"
        near = did_you_mean(unknown[0], known)
        raise ReportError(f"report {preset.name} has no option {unknown[0]!r}{near or f': {has}'}")
    values: dict[str, Value] = {}
    for option in preset.options:
        value = given.get(option.name)
        if option.choices is not None:
            offered = choices(reader, preset, option, values)
            if not offered:
                raise ReportError(
                    f"report {preset.name}: no loaded data for this report"
                    f"{f': it needs {option.needs}' if option.needs else f' (no {option.name})'}"
                )
            if value is not None and not option.is_free and str(value) not in offered:
                named = ", ".join(offered[:5]) + (", ..." if len(offered) > 5 else "")
                raise ReportError(
                    f"report {preset.name}: no {option.name} {value!r}"
                    f"{did_you_mean(str(value), offered) or f'; known: {named}'}"
                )
            if value is None:
                value = offered[0]
            value = str(value)
        elif value is None:
            value = option.default
        elif isinstance(option.default, int | float):
            value = _number(preset, option, value)
        values[option.name] = value
    return values


def _number(preset: Preset, option: Option, value: str | float) -> float:
    try:
        return float(value)
    except ValueError:
        raise ReportError(
            f"report {preset.name}: {option.name} is a number, not {value!r}"
        ) from None
