"""What the files of the dbt project say of its models."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # its types are a package of their own

from app.pipeline.places import ROOT

DBT = ROOT / "dbt"
MODELS = DBT / "models"
FILES = {file.stem: file for file in sorted(MODELS.rglob("*.*")) if file.suffix in {".sql", ".py"}}
MARTS = {name for name, file in FILES.items() if MODELS / "marts" in file.parents}
STAGING = {name for name, file in FILES.items() if MODELS / "staging" in file.parents}
VERDICTS = {name for name, file in FILES.items() if MODELS / "verdicts" in file.parents}
INTERMEDIATE = FILES.keys() - MARTS - STAGING - VERDICTS


@cache
def blocks() -> dict[str, str]:
    """Return the docs blocks: name -> text."""
    result: dict[str, str] = {}
    for file in MODELS.rglob("*.md"):
        for name, text in re.findall(
            r"{% docs (\w+) %}\n(.*?)\n{% enddocs %}", file.read_text(), re.DOTALL
        ):
            assert name not in result, f"two docs blocks are named {name}"
            result[name] = text
    return result


@cache
def entries(kind: str) -> tuple[tuple[Path, dict[str, Any]], ...]:
    """Return the entries of a kind (models, unit_tests) in all YAML files, with their files."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return tuple(
        (file, entry)
        for file in sorted(MODELS.rglob("*.yml"))
        for entry in (yaml.load(file.read_text(), loader) or {}).get(kind, [])  # noqa: S506 - safe
    )


@cache
def properties() -> dict[str, dict[str, Any]]:
    """Return the entries of the models: name -> entry."""
    return {entry["name"]: entry for _, entry in entries("models")}


def resolve(description: str) -> str:
    """Return a description with the docs blocks that it names."""
    return re.sub(r"{{ doc\('(\w+)'\) }}", lambda match: blocks()[match[1]], description)
