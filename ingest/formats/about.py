"""What is known of a file of results besides its content.

In order of precedence: PERFHOUSE_LABELS, PERFHOUSE_MAP and PERFHOUSE_TIME_ZONE (which the options
--label, --map and --time-zone of the command set), the file NAME.results.toml beside it (of
res.csv: res.csv.results.toml or res.results.toml), and
perfhouse-results.toml in its folder (of a file in an archive, also in the archive's folder):

    campaign = "checkout"
    time_zone = "Europe/London"        # of times without an offset
    labels = { git_revision = "4e1f2ab", machine = "ci-7" }
    map = { start = "finished at" }    # role -> column of a plain table
    better = { queue_depth = "less" }  # more or less
    units = { tps = "1/s" }            # of columns of a plain table, or of its metrics
    names = { "percentile 1" = "p90" } # how metrics end -> how they are to end

In a CI job the build is taken from its environment if neither these nor the file say it.

A load keeps what was known (`to_json`): whoever decodes its file once more gets the same rows.
"""

from __future__ import annotations

import json
import os
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ingest.base.errors import SettingsError
from ingest.formats.archives import on_disk, open_file, state_of
from ingest.formats.bench.results import About
from ingest.formats.bench.tables import series_of

__all__ = [
    "BESIDE",
    "IN_FOLDER",
    "LABELS",
    "MAP",
    "ZONE",
    "about",
    "describe_other_settings",
    "from_json",
    "pairs",
    "to_json",
]

BESIDE, IN_FOLDER = ".results.toml", "perfhouse-results.toml"
LABELS, MAP, ZONE = "PERFHOUSE_LABELS", "PERFHOUSE_MAP", "PERFHOUSE_TIME_ZONE"
_TABLES = ("labels", "map", "better", "names", "units")
_KEYS = ("campaign", "time_zone", *_TABLES)
_BUILD = ("GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", "BUILD_SOURCEVERSION")


def about(path: Path) -> About:
    """Return what is known of a file. Raises SettingsError, and OSError if it is gone."""
    text = _stated(path)
    build = next((os.environ[name] for name in _BUILD if os.environ.get(name)), "")
    labels = {"git_revision": build} if os.environ.get("CI") and build else {}
    return text._replace(environment=labels, series=series_of(path.name))


def to_json(known: About) -> str:
    """Return what is known of a file as a load keeps it."""
    return json.dumps(known._asdict(), default=datetime.isoformat)


def from_json(text: str) -> About:
    """Return what `to_json` made a text of."""
    kept = {name: value for name, value in json.loads(text).items() if name in About._fields}
    modified = kept.get("modified")
    return About(**kept | {"modified": datetime.fromisoformat(modified) if modified else None})


def describe_other_settings(path: Path, before: str | None) -> str:
    """Return what settings and options say of a file and did not when it was loaded; '' if nothing.

    before: what the load keeps. Raises SettingsError, and OSError if the file is gone.
    """
    text, kept = _stated(path), from_json(before) if before else About()
    changed = [
        f"{name} {value}" for name in ("campaign", "time_zone")
        if (value := getattr(text, name)) and value != getattr(kept, name)
    ]  # fmt: skip
    for setting in ("labels", "columns", "better", "names", "units"):
        of_kept = getattr(kept, setting)
        changed += [f"{name}={value}" for name, value in getattr(text, setting).items()
                    if of_kept.get(name) != value]  # fmt: skip
    return ", ".join(changed)


def _stated(path: Path) -> About:
    """Return what settings and options say of a file."""
    settings: dict[str, Any] = {}
    folders = dict.fromkeys((on_disk(path).parent, path.parent))
    named_files = dict.fromkeys(path.with_name(name + BESIDE) for name in (path.stem, path.name))
    for file in (*(folder / IN_FOLDER for folder in folders), *named_files):
        for key, value in _read(file).items():
            settings[key] = settings.get(key, {}) | value if key in _TABLES else value
    columns = settings.get("map", {}) | pairs(os.environ.get(MAP, ""), MAP)
    return About(
        path.name,
        datetime.fromtimestamp(int(state_of(path).modified), UTC).replace(tzinfo=None),
        str(settings.get("campaign", "")),
        str(os.environ.get(ZONE) or settings.get("time_zone", "")),
        settings.get("labels", {}) | pairs(os.environ.get(LABELS, ""), LABELS),
        columns,
        settings.get("better", {}),
        names=settings.get("names", {}),
        units=settings.get("units", {}),
    )


def pairs(text: str, what: str) -> dict[str, str]:
    """Return lines NAME=VALUE as a dictionary. Raises SettingsError."""
    result = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, sign, value = line.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise SettingsError(f"{what}: {line[:60]!r} is not NAME=VALUE")
        result[name.strip()] = value.strip()
    return result


def _read(file: Path) -> dict[str, Any]:
    try:
        opened = open_file(file)
        settings = tomllib.loads((opened.read() or b"").decode("utf-8-sig"))
        opened.close()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: not TOML: {error}") from None
    for key, value in settings.items():
        if key not in _KEYS:
            raise SettingsError(f"{file}: no key {key!r}: there are {', '.join(_KEYS)}")
        if isinstance(value, dict) != (key in _TABLES):
            kind = "a table" if key in _TABLES else "text"
            raise SettingsError(f"{file}: {key} is not {kind}")
        if isinstance(value, dict):
            settings[key] = {name: str(text) for name, text in value.items()}
        for name, direction in settings[key].items() if key == "better" else ():
            if direction not in ("more", "less"):
                raise SettingsError(f"{file}: better: {name} = {direction!r}: write more or less")
    return settings
