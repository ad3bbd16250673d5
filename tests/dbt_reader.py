"""Import dbt and read the parsed project once, for the processes that tests/dbt_forked.py forks."""

import os
from importlib import import_module
from typing import Any

from app.pipeline import dbt

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
dbt.parse()
