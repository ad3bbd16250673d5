"""Optional parts of the package: `pip install 'perfhouse[EXTRA]'`."""

from importlib.util import find_spec

from ingest.base.errors import PerfhouseError

__all__ = ["EXTRAS", "MissingExtraError", "is_installed", "require"]

#: Extra -> modules that are missing without it. pyproject.toml has the packages.
EXTRAS = {
    "build": (
        "dbt", "dbt_common", "duckdb_engine", "great_expectations", "ruptures",
        "sqlalchemy",
    ),
    "charts": ("altair", "vl_convert"),
    "dashboard": ("streamlit",),
    "excel": ("xlsxwriter",),
    "mcp": ("mcp",),
    "sign-in": ("authlib",),
}  # fmt: skip


class MissingExtraError(PerfhouseError):
    """An optional part of the package is not installed."""

    def __init__(self, extra: str) -> None:
        super().__init__(f"this needs an optional part: pip install 'perfhouse[{extra}]'")


def is_installed(extra: str) -> bool:
    """Whether all modules of an extra can be found."""
    return all(find_spec(module) for module in EXTRAS[extra])


def require(extra: str) -> None:
    """Raise MissingExtraError unless an extra is installed."""
    if not is_installed(extra):
        raise MissingExtraError(extra)
