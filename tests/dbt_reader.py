"""Import dbt and read the parsed project once, for the processes that tests/dbt_forked.py forks."""

import os
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app.pipeline import dbt
from ingest.lake.home import home

for _later in ("dbt.task.build", "dbt.adapters.duckdb", "tests.dbt_forked"):
    import_module(_later)

_parsed, _known = dbt._parsed, dict[str, Any]()


def _parsed_once(own: Any, reasons: list[str] | None = None) -> Any:
    if own:  # a team's project changes from test to test
        return _parsed(own, reasons)
    os.environ[dbt._PACKAGES] = str(dbt.teams.packages(dbt._writable_cache(), None))
    key = dbt._digest()
    if key not in _known:
        _known[key] = _parsed(None, reasons)
    return _known[key]


dbt._parsed = _parsed_once
with TemporaryDirectory() as _folder:
    os.environ |= {
        "PERFHOUSE_HOME": str(home()),
        "PERFHOUSE_WORK": str(Path(_folder, "work.duckdb")),
        "DBT_TARGET": "work",
        "DBT_TARGET_PATH": str(Path(_folder, "target")),
        "DBT_LOG_PATH": _folder,
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "DBT_WRITE_JSON": "false",
    }
    _parsed_once(None)
