"""Presets: a report as chapters of declared sections, one TOML file for each.

    title, for     the name, and what it is for; heading, subject: of the title page, with {option};
                   asks: the introduction; form = "document": with title page, contents and numbers
    [options.X]    label, default; choices: a question of one column, or the name of one in _common
    [defaults]     of sections: levels of factors, from, to, axes, metrics; where: of all marts
    [[chapter]]    title, text, defaults of its own; or use: the name of a chapter in _common
    [[chapter.section]]  a contrast, a question of a table, or a part (see app.reports.sections)

NAME.toml is looked up in $PERFHOUSE_PRESETS (or presets/ in the data folder), and then in
app/reports/presets; _common.toml is ours.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from app.pipeline.places import home
from app.reports.document import ReportError
from app.reports.words import name_of
from app.results.queries.comparison import levels, sides_of, suggestion, terms_of
from app.results.reader import Reader
from app.results.sides import SelectionError, write_terms
from app.results.suggest import did_you_mean
from ingest.base.errors import PerfhouseError
from ingest.lake.locked import require_reading

__all__ = [
    "Option",
    "Preset",
    "Row",
    "Section",
    "Value",
    "ask",
    "choices",
    "option_values",
    "preset_of",
    "presets",
    "query_of",
]

Value = str | int | float | None
Row = dict[str, Any]
_OURS = Path(__file__).with_name("presets")
_COMMON = "_common"
_FORMS = ("document", "note")
_OLD = ("*/report.md.j2", "*/preset.toml", "*/*.sql", "*.sql", "*.j2")
_QUESTION = {"mart", "columns", "where", "order", "most"}
#: What a section may say, by the key that tells its kind.
_KEYS = {
    "contrast": {"from", "to", "where", "axes", "metrics", "follow", "peak", "alone", "varies"},
    "mart": _QUESTION | {"caption", "small", "chart", "says", "section", "needs"},
    "page": {"of", "charts", "columns", "most"},
    "part": {"metrics", "most"},
    "text": set(),
}
_ALWAYS = {"title", "text", "why"}
_SIDES, _OTHERS = "sides", "other sides"  # choices of a comparison


@dataclass(frozen=True, slots=True)
class Option:
    """What a person may choose: from the values of a question, or a text or number.

    `choices`: a question of one column, the default first; `is_free`: any other value may be given
    too. `needs`: the records without which there is nothing to choose.
    """

    name: str
    label: str
    choices: Mapping[str, Any] | None = field(hash=False)
    default: Value
    is_free: bool
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A declared section: `kind` is contrast, mart, part or text, and `says` all of its keys."""

    kind: str
    title: str
    says: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset: its file, and its chapters as titles, texts and sections."""

    name: str
    title: str
    purpose: str
    heading: str
    subject: str
    options: tuple[Option, ...]
    asks: str
    is_note: bool
    file: Path
    chapters: tuple[tuple[str, str, tuple[Section, ...]], ...] = field(hash=False)


def _places() -> list[Path]:
    named = os.environ.get("PERFHOUSE_PRESETS")
    folder = Path(named).absolute() if named else home() / "presets"
    for pattern in _OLD:
        for file in sorted(folder.glob(pattern)):
            raise ReportError(
                f"{file}: reports are no longer templates and queries; {folder.name}/NAME.toml "
                "declares their sections (docs/upgrading.md)"
            )
    return [folder, _OURS]


def presets() -> list[Preset]:
    """Return all presets, those of the team first. Raises ReportError."""
    return [preset_of(name) for name in _names()]


def _names() -> list[str]:
    files = (file for folder in _places() for file in sorted(folder.glob("*.toml")))
    return list(dict.fromkeys(file.stem for file in files if file.stem != _COMMON))


def preset_of(name: str) -> Preset:
    """Return the preset of this name. Raises ReportError if it is unknown or not valid."""
    names = _names()
    if name not in names:
        near = did_you_mean(name, names) or f"; known: {', '.join(sorted(names))}"
        raise ReportError(f"there is no report {name!r}{near}")
    file = next(f for folder in _places() if (f := folder / f"{name}.toml").is_file())
    shared = _read(_OURS / f"{_COMMON}.toml")
    declared = _read(file)
    try:
        _require_known(
            declared,
            {
                "title",
                "for",
                "heading",
                "subject",
                "asks",
                "form",
                "options",
                "defaults",
                "chapter",
            },
        )
        if (form := declared.get("form", "note")) not in _FORMS:
            raise ValueError(f"form is {' or '.join(_FORMS)}, not {form!r}")
        options = tuple(
            _option(name, item, shared["choices"])
            for name, item in declared.get("options", {}).items()
        )
        _require_tables(declared, "chapter")
        chapters = tuple(
            _chapter(item, shared["chapters"], declared.get("defaults", {}))
            for item in declared.get("chapter", ())
        )
        title = str(declared["title"])
        return Preset(
            name,
            title,
            str(declared["for"]),
            str(declared.get("heading", title)),
            str(declared.get("subject", "")),
            options,
            " ".join(str(declared.get("asks", "")).split()),
            form == "note",
            file,
            chapters,
        )
    except KeyError as error:
        raise ReportError(f"{file}: {error.args[0]} is missing") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise ReportError(f"{file}: {error}") from None


def _read(file: Path) -> Row:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ReportError(f"{file}: {getattr(error, 'strerror', None) or error}") from None


def _require_known(said: Mapping[str, Any], keys: set[str], of: str = "") -> None:
    if unknown := sorted(set(said) - keys):
        raise ValueError(f"{of}unknown {unknown[0]}{did_you_mean(unknown[0], sorted(keys))}")


def _require_tables(said: Mapping[str, Any], key: str, of: str = "") -> None:
    items = said.get(key, [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ValueError(f"{of}{key} is a list of tables, as [[{key}]] begins one")


def _option(name: str, said: Mapping[str, Any], shared: Mapping[str, Any]) -> Option:
    _require_known(said, {"label", "choices", "default", "free", "needs"}, f"option {name}: ")
    default, named = said.get("default"), said.get("choices")
    if default is not None and not isinstance(default, str | int | float):
        raise ValueError(f"option {name}: its default is no text or number")
    if isinstance(named, str) and named not in shared and named not in {_SIDES, _OTHERS}:
        raise ValueError(f"option {name}: no choices {named!r}{did_you_mean(named, list(shared))}")
    choices = shared.get(named, {"of": named}) if isinstance(named, str) else named
    return Option(
        name,
        str(said.get("label", name.capitalize())),
        choices,
        default,
        said.get("free") is True,
        str(said.get("needs", "")),
    )


def _sections_of_levels(said: Mapping[str, Any]) -> list[Row]:
    """Return a section, or one for each level of the factor in `each`, which its title names."""
    if "each" not in said:
        return [dict(said)]
    ((factor, levels),) = said["each"].items()
    rest = {key: item for key, item in said.items() if key != "each"}
    names = [name_of(factor, str(level)) for level in levels]
    return [
        {
            **rest,
            "title": str(said["title"]).replace("{each}", name[:1].upper() + name[1:]),
            "where": {**said.get("where", {}), factor: level},
        }
        for name, level in zip(names, levels, strict=True)
    ]


def _with_defaults(defaults: Mapping[str, Any], said: Mapping[str, Any]) -> Row:
    """Return a section with the defaults of its kind; a condition on a mart is added to its own."""
    if "mart" in said:
        both = [
            str(item["where"]) for item in (defaults, said) if isinstance(item.get("where"), str)
        ]
        return {**said, **({"where": " and ".join(both)} if both else {})}
    if {"page", "part"} & {*said} or {*said} <= _ALWAYS:
        return dict(said)
    others = {"from", "to"} if "contrast" in said else set()  # levels of another factor
    inherited = {key: item for key, item in defaults.items() if key not in others}
    where = inherited["where"] if isinstance(inherited.get("where"), dict) else {}
    return {**inherited, **said, "where": {**where, **said.get("where", {})}}


def _chapter(
    said: Mapping[str, Any], shared: Mapping[str, Any], defaults: Mapping[str, Any]
) -> tuple[str, str, tuple[Section, ...]]:
    if "use" in said:
        if said["use"] not in shared:
            raise ValueError(f"no chapter {said['use']!r}{did_you_mean(said['use'], list(shared))}")
        said = shared[said["use"]] | {key: own for key, own in said.items() if key != "use"}
    title = str(said["title"])
    _require_known(said, {"title", "text", "section", "defaults"}, f"chapter {title}: ")
    _require_tables(said, "section", f"chapter {title}: ")
    merged = {**defaults, **said.get("defaults", {})}
    sections = tuple(
        _section(title, _with_defaults(merged, item))
        for many in said.get("section", ())
        for item in _sections_of_levels(many)
    )
    return title, str(said.get("text", "")), sections


def _section(chapter: str, said: Mapping[str, Any]) -> Section:
    title = str(said.get("title", ""))
    kinds = [kind for kind in _KEYS if kind in said]
    where = f"section {title or chapter}: "
    if not kinds:
        raise ValueError(f"{where}it has none of {', '.join(_KEYS)}")
    _require_known(said, _KEYS[kinds[0]] | _ALWAYS | {kinds[0]}, where)
    if kinds[0] == "mart" and not isinstance(said.get("columns"), Mapping):
        raise ValueError(f"{where}columns maps each column to its heading")
    return Section(kinds[0], title, dict(said))


def query_of(said: Mapping[str, Any]) -> str:
    """Return the SQL of a question of a mart: its columns, in groups if any is a total."""
    columns = ", ".join(f"{sql} as c{n}" for n, sql in enumerate(said["columns"]))
    where = f" where {said['where']}" if said.get("where") else ""
    order = f" order by {said.get('order', 'all')}"
    most = f" limit {said['most']}" if said.get("most") else ""
    return f"select {columns} from marts.{said['mart']}{where} group by all{order}{most}"


def ask(
    reader: Reader, preset: Preset, said: Mapping[str, Any], values: Mapping[str, object]
) -> list[tuple[Any, ...]]:
    """Return the rows of a question; parameters that `values` lacks are NULL. Raises ReportError.

    It may only read.
    """
    sql = query_of(said)
    with reader.connection() as db:
        try:
            require_reading(db, sql)
            names = set().union(*(s.named_parameters for s in db.extract_statements(sql)))
            bound = {name: values.get(name) for name in names}
            return (db.execute(sql, bound) if bound else db.execute(sql)).fetchall()
        except (duckdb.Error, PerfhouseError) as error:
            reason = re.sub(r"\s+", " ", str(error).split("\n\n")[0].splitlines()[0])
            raise ReportError(f"{preset.file}: {said['mart']}: {reason}") from None


def choices(
    reader: Reader, preset: Preset, option: Option, earlier: Mapping[str, Value]
) -> list[str]:
    """Return what an option offers, the default first; `earlier`: the options before it."""
    if option.choices is None:
        return []
    if "of" in option.choices:
        return _sides(reader, str(earlier.get("baseline") or ""))
    column = {str(option.choices["column"]): ""}
    rows = ask(reader, preset, {**option.choices, "columns": column}, earlier)
    return [str(value) for (value,) in rows if value is not None]


def _sides(reader: Reader, baseline: str) -> list[str]:
    """Return what can be compared as terms: first that of which most can be decided."""
    rows = levels(reader)
    origins = rows["origin"].unique(maintain_order=True)
    left_out = {"origin"} if len(origins) == 1 else set()
    suggested = ["", ""]
    for origin in origins:
        if best := suggestion(reader, origin):
            both = sides_of(best, origin)
            suggested = [
                write_terms({n: terms[n] for n in terms if n not in left_out}) for terms in both
            ]
            break
    first = suggested[bool(baseline)] if baseline in {"", suggested[0]} else ""
    every = [write_terms({row["label"]: row["level"]}) for row in rows.to_dicts()]
    if baseline:
        try:
            names = {*terms_of(reader, baseline)}
        except (SelectionError, ValueError):
            names = set()
        every.sort(key=lambda side: side.partition("=")[0] not in names)
    return [side for side in dict.fromkeys([first, *every]) if side not in {"", baseline}]


def option_values(reader: Reader, preset: Preset, given: Mapping[str, Value]) -> dict[str, Value]:
    """Return the value of each option: what is given, or its default.

    Raises ReportError if an option is unknown, or its value is not among those it offers.
    """
    names = [option.name for option in preset.options]
    if unknown := [name for name in given if name not in names]:
        has = f"it has {', '.join(names)}" if names else "it has none"
        near = did_you_mean(unknown[0], names)
        raise ReportError(f"report {preset.name} has no option {unknown[0]!r}{near or f': {has}'}")
    values: dict[str, Value] = {}
    for option in preset.options:
        values[option.name] = _value(reader, preset, option, given.get(option.name), values)
    return values


def _value(
    reader: Reader, preset: Preset, option: Option, value: Value, earlier: Mapping[str, Value]
) -> Value:
    if option.choices is not None:
        offered = choices(reader, preset, option, earlier)
        if not offered:
            lacks = f": it needs {option.needs}" if option.needs else f" (no {option.name})"
            raise ReportError(f"report {preset.name}: no loaded data for this report{lacks}")
        if value is not None and not option.is_free and str(value) not in offered:
            raise ReportError(
                f"report {preset.name}: no {option.name} {value!r}"
                f"{did_you_mean(str(value), offered) or f'; known: {_first(offered)}'}"
            )
        return offered[0] if value is None else str(value)
    if value is None or not isinstance(option.default, int | float):
        return option.default if value is None else value
    try:
        return float(value)
    except ValueError:
        raise ReportError(
            f"report {preset.name}: {option.name} is a number, not {value!r}"
        ) from None


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
