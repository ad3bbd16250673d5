"""Parameters as data: each has a name, a value, a unit and a source, and lives in a TOML file.

A file has one table per parameter:

    [network_1gb]
    value = 97.7
    unit = "MB/s"
    fitted = "C-bin-rate"            # or source = "document 000, Appendix A"
    start = 100                      # only if fitted: where the search begins
    note = "ceiling of the 1 Gb link"

Names that contain a blank are created by fits (effects of factor levels, spreads). The others are
written by hand, with the value from the last fit. A number without a unit, or without exactly one
of `source` and `fitted`, does not load. Fits begin at `start` and not at the last result, so
calibrating again gives the same numbers.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path


class ParameterError(ValueError):
    """A parameter lacks its unit or source, or is not a number."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One number. `fitted` names the tables or cells it was fitted to, `source` where it is stated.

    `page` is the place in the source.
    `start` is where the search for a fitted value begins, and the centre of its weak prior.
    """

    name: str
    value: float
    unit: str
    source: str = ""
    fitted: str = ""
    note: str = ""
    start: float | None = None
    page: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise ParameterError(f"{self.name}: {self.value!r} is not a number")
        if not math.isfinite(self.value):
            raise ParameterError(f"{self.name}: {self.value!r} is not finite")
        if not self.unit:
            raise ParameterError(f"{self.name} has no unit")
        if bool(self.source) == bool(self.fitted):
            raise ParameterError(f"{self.name} needs either a source or what it was fitted to")


class Parameters(Mapping[str, float]):
    """The parameters of one family: a mapping from name to value."""

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        self._all: dict[str, Parameter] = {}
        for parameter in parameters:
            if parameter.name in self._all:
                raise ParameterError(f"{parameter.name} is given twice")
            self._all[parameter.name] = parameter

    def __getitem__(self, name: str) -> float:
        return self._all[name].value

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def describe(self, name: str) -> Parameter:
        """Return the parameter with its unit, source and note."""
        return self._all[name]

    def with_values(self, values: Mapping[str, float]) -> Parameters:
        """Return the parameters with other values. Raise KeyError for an unknown name."""
        changed = dict(self._all)
        for name, value in values.items():
            changed[name] = replace(changed[name], value=float(value))
        return Parameters(changed.values())

    def searched(self) -> list[str]:
        """Return the names of the parameters that a fit searches for: those with a start."""
        return [name for name, parameter in self._all.items() if parameter.start is not None]

    def without_made(self) -> Parameters:
        """Return only the parameters written by hand: those made by a fit know the rows it saw."""
        return Parameters(kept for kept in self._all.values() if " " not in kept.name)

    def at_start(self) -> Parameters:
        """Return the parameters that a fit begins with, without any made by an earlier fit."""
        return Parameters(
            kept if kept.start is None else replace(kept, value=kept.start)
            for kept in self.without_made()._all.values()
        )

    def merged(self, parameters: Iterable[Parameter]) -> Parameters:
        """Return these parameters and the given ones; a given one replaces one of the same name."""
        changed = dict(self._all)
        changed.update((parameter.name, parameter) for parameter in parameters)
        return Parameters(changed.values())


def load(file: Path) -> Parameters:
    """Return the parameters of a file. Raise ParameterError if one is not usable.

    A file is read again only after it changed.
    """
    status = file.stat()
    return _load(file, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=32)
def _load(file: Path, _changed: int, _size: int) -> Parameters:
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    parameters = []
    for name, table in content.items():
        keys = {"value", "unit", "source", "fitted", "start", "note"}
        if not isinstance(table, dict) or "value" not in table or set(table) - keys:
            raise ParameterError(f"{name} is not a table of value, unit, source or fitted")
        parameters.append(Parameter(name, **table))
    return Parameters(parameters)


def save(file: Path, parameters: Parameters) -> None:
    """Write the parameters in order; fitted values are rounded to six significant digits."""
    file.write_text(dumps(parameters), encoding="utf-8")


def dumps(parameters: Parameters) -> str:
    """Return the parameters as TOML text."""
    parts = []
    for name in parameters:
        parameter = parameters.describe(name)
        value = _number(parameter.value, exact=bool(parameter.source))
        lines = [f"[{_string(name)}]", f"value = {value}"]
        for key in ("unit", "source", "fitted", "note"):
            text = getattr(parameter, key)
            if text:
                lines.append(f"{key} = {_string(text)}")
        if parameter.start is not None:
            lines.append(f"start = {_number(parameter.start)}")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _string(text: str) -> str:
    """Return a TOML basic string, which is a JSON string except for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _number(value: float, *, exact: bool = False) -> str:
    rounded = (value if exact else float(f"{value:.6g}")) + 0.0  # avoids negative zero
    return repr(int(rounded)) if rounded.is_integer() and abs(rounded) < 1e15 else repr(rounded)
