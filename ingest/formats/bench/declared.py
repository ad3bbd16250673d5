"""Pydantic models of manifests and measurement files.

`validated` reports the first fault in one line that names the key. The text below a key says what
it means: docs/manifest.md is made of these.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, create_model

from ingest.formats.bench import values
from ingest.formats.bench.factors import ALIASES, FACTORS
from ingest.formats.bench.values import FaultError, value_text
from ingest.formats.published import Column

__all__ = [
    "File",
    "Measurement",
    "MeasurementFile",
    "MeasurementLine",
    "Run",
    "level_of",
    "own_names",
    "validated",
]

VERSION = 1  # of both formats
_NOT = {"model_type": "a table of keys", "dict_type": "a table of keys", "list_type": "a list"}
_CLASS = re.compile(r"\s*(service class|report class)\s+(.*)")
_Model = TypeVar("_Model", bound=BaseModel)


def validated(model: type[_Model], given: object, what: str) -> _Model:
    """Return what was given as a model. Raises FaultError with the first fault."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
    # A misspelt key is reported as unknown, rather than as missing.
    fault = next((f for f in faults if f["type"] == "extra_forbidden"), faults[0])
    path = [str(key) for key in fault["loc"] if key != "[key]"]
    if not path:
        raise FaultError(f"{what} is not a table of keys")
    reason = str(fault.get("ctx", {}).get("error") or fault["msg"])
    if fault["type"] == "missing":
        reason = "is missing"
    elif fault["type"] in _NOT:
        reason = f"is not {_NOT[fault['type']]}"
    elif fault["type"] == "extra_forbidden":
        kind = _Scope if path[0] == "scope" and len(path) > 1 else model
        reason = _unknown(path[-1], kind.model_fields, f"not one of {', '.join(kind.model_fields)}")
    raise FaultError(f"key {'.'.join(map(value_text, path))} {reason}")


def _unknown(name: str, known: Iterable[str], why: str) -> str:
    """Return what is wrong with an unknown key, and the most similar known one."""
    near = difflib.get_close_matches(name[:200], list(known), 1)
    return f"is {why}" + (f"; did you mean {near[0]}?" if near else "")


def _version(value: object) -> int:
    if value != VERSION or isinstance(value, bool):
        raise FaultError(f"is {value!r}, but only {VERSION} is supported")
    return VERSION


def _repetition(value: object) -> int:
    number = values.number(value)
    if not 1 <= number < 2**31 or number != int(number):
        raise FaultError(f"is {number!r}, not a whole number from 1")
    return int(number)


def _workload(value: object) -> list[str]:
    """Return names of address spaces or classes, all of one kind: kinds have the same CPU time."""
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, list):
        raise FaultError(f"is {value_text(value)}, not a list of names")
    matches = [_CLASS.match(name) if isinstance(name, str) else None for name in given]
    bare = [kind[2] if kind else name for kind, name in zip(matches, given, strict=True)]
    names = values.name_list(bare)
    kinds = {kind[1] if kind else "" for kind in matches}
    if len(kinds) > 1:
        mixed = sorted(kind or "address space" for kind in kinds)
        raise FaultError(f"mixes {' and '.join(mixed)}, which have the same CPU time")
    return [f"{kind} {name}".strip() for kind in kinds for name in names]


def _runs(value: object) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise FaultError("is missing: give at least one run, as [[run]]")
    return value


def _own_factor(name: object) -> str:
    """Return a site's own factor as it is stored: with x_, so that it meets no column's name."""
    text = values.text(name)
    if text.startswith("x_"):
        return text
    # Former names, such as batch, are no slips.
    names = [factor for factor in FACTORS if factor not in ALIASES.values()]
    near = difflib.get_close_matches(text[:200], names, 1, 0.65)
    if near:
        why = f"is no factor of perfhouse, and one of your own would be x_{text}"
        raise FaultError(f"{why}; did you mean {near[0]}?")
    return f"x_{text}"


def _level(column: Column, value: object) -> str:
    """Return the level of a factor as the published figures write it."""
    if column.dtype in (pl.Int32, pl.Int64):
        number = values.number(value)
        if number != int(number) or number < 0:
            raise FaultError(f"is {number!r}, not a whole number")
        return str(int(number))
    if column.dtype is pl.Float64:
        return values.scalar(values.number(value))
    level = values.flag_of(value) if column.allowed == ("Y", "N") else values.scalar(value)
    if column.allowed and level not in column.allowed:
        raise FaultError(f"is {level!r}, not one of {', '.join(column.allowed)}")
    return level


def own_names(factors: Iterable[tuple[str, object]]) -> set[str]:
    """Return the names of factors that are a site's own: unknown, or with a level of their own."""
    names = set()
    for name, level in factors:
        try:
            if name not in FACTORS or _level(FACTORS[name], level_of(name, level)) == "":
                names.add(name)
        except FaultError:
            names.add(name)
    return names


def level_of(name: str, level: object) -> object:
    """Return a text as a number where the factor has numbers, as tables hold texts only."""
    if not isinstance(level, str) or name not in FACTORS or FACTORS[name].dtype == pl.String:
        return level
    try:
        return float(level)
    except ValueError:
        return level


def _or_none(value: object, how: Any) -> Any:
    return None if value is None else how(value)


Text = Annotated[str, PlainValidator(values.text)]
Scalar = Annotated[str, PlainValidator(values.scalar)]
Number = Annotated[float, PlainValidator(values.number)]
Moment = Annotated[datetime, PlainValidator(values.moment)]
Zone = Annotated[str, PlainValidator(values.zone)]
Names = Annotated[list[str], PlainValidator(values.name_list)]
Workload = Annotated[list[str], PlainValidator(_workload)]
Version = Annotated[int, PlainValidator(_version)]
Repetition = Annotated[int, PlainValidator(_repetition)]
OwnFactor = Annotated[str, PlainValidator(_own_factor)]
# These may be null.
MaybeText = Annotated[str | None, PlainValidator(partial(_or_none, how=values.text))]
MaybeFlag = Annotated[bool | None, PlainValidator(partial(_or_none, how=values.boolean))]
MaybeMoment = Annotated[datetime | None, PlainValidator(partial(_or_none, how=values.moment))]


class _Keys(BaseModel):
    """A table with no other keys than the fields."""

    model_config = ConfigDict(extra="forbid")


class _OwnFactors(BaseModel):
    """Factors of a site, by any name."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[OwnFactor, Scalar]


if TYPE_CHECKING:
    _Factors = _OwnFactors
else:
    _Factors = create_model(
        "_Factors",
        __base__=_OwnFactors,
        **{
            name: (Annotated[str, PlainValidator(partial(_level, column))], "")
            for name, column in FACTORS.items()
        },
    )


class _Scope(_Keys):
    lpars: Names = []
    """LPARs whose CPU time the run costs: SMF ID, system name or partition. Default: all."""
    address_spaces: Names = []
    """Address spaces of the work, by job name: the transfers of its agents are the run's."""
    report_classes: Names = []
    """Report classes of the work."""
    volumes: Names = []
    """Volumes that the run reads or writes, for figures of disks that name one."""


class _Shared(_Keys):
    """Keys that a file may have for all its runs, and a run for itself."""

    campaign: Text = ""
    """Series that the run belongs to; regressions are looked for within it. Required."""
    time_zone: Zone = ""
    """Zone of times without an offset: a name such as Europe/London, or UTC."""
    factors: _Factors = _Factors()  # type: ignore[call-arg]
    """Configuration: what was chosen for the run. Runs are compared if all factors are the same."""
    labels: dict[Text, Scalar] = {}
    """What else is known: git_revision is the build; machine and mq_level tell systems apart."""
    scope: _Scope = _Scope()
    """What the run used of the system: see below."""
    workload: Workload = []
    """What does the work, for its cost: job names, or service or report classes: see below."""

    def in_order(self, name: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the table factors, labels or scope, its keys in the order given."""
        table = getattr(self, name)
        values = table if isinstance(table, dict) else table.model_dump(exclude_unset=True)
        prefix = "x_" if name == "factors" else ""
        keys = (key.strip() for key in given.get(name, {}))
        prefixed = {key if key in values else prefix + key: key for key in keys}
        return {key: values[key] for key in prefixed}


class Run(_Shared):
    """One run of a manifest. Each `measurement` is checked later, as a Measurement."""

    run_id: Text = ""
    """Name of the run, unique in its origin. Default: the campaign and the start."""
    repetition: Repetition | None = None
    """Number among the runs of one configuration, from 1. Default: counted."""
    start: Moment
    """When it started. Runs on the same LPAR do not overlap."""
    stop: Moment
    """When it stopped, 31 days later at most."""
    steady_start: Moment | None = None
    """When it reached its steady state; rates of it leave out what was before."""
    steady_stop: Moment | None = None
    """When the steady state ended. Default: at the stop."""
    measurement: Any = []
    """What the benchmark measured, as [[run.measurement]]: see below."""


class File(_Shared):
    """A manifest. Each `run` is checked later, as a Run."""

    perfhouse_manifest: Version
    """Version of the format: 1."""
    run: Annotated[list[Any], PlainValidator(_runs)] = Field([], validate_default=True)
    """The runs, each as [[run]]. At least one is required."""


class Measurement(_Keys):
    """One measurement of a run in a manifest."""

    metric: Text
    """What is measured, such as rate or p95."""
    value: Number
    """The value, a finite number."""
    unit: Text
    """Its unit, such as MB/s, ms, 1/s or %; MB are 2^20 bytes."""
    more_is_better: MaybeFlag = None
    """Direction. Without it, and unless perfhouse knows the metric, changes are not judged."""
    address_space: MaybeText = None
    """Address space of the value. Default: it is of the whole run."""


class MeasurementLine(Measurement):
    """One measurement in a file of measurements."""

    run_id: MaybeText = None
    time: MaybeMoment = None


class MeasurementFile(_Keys):
    """A JSON file of measurements, each checked later, as a MeasurementLine."""

    perfhouse_measurements: Version
    run_id: MaybeText = None
    measurements: list[Any]
