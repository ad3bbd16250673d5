"""What the audit knows of each mart beyond the names and types of its columns."""

from __future__ import annotations

from dataclasses import dataclass

from duckdb import BinderException, CatalogException, DuckDBPyConnection

from ingest.base.errors import WarehouseError

__all__ = ["Mart", "known_marts"]


@dataclass(frozen=True, slots=True)
class Mart:
    """One mart, as its YAML in dbt describes it (config.meta).

    key: columns that name a row in a message, the grain. signed: columns that may be negative and
    exceed the bounds of a share. printed: the figures were printed in a document, so all of them
    may. compared: two columns with the same figure from two sources; `agrees` is false where they
    differ.
    """

    key: tuple[str, ...]
    signed: tuple[str, ...] = ()
    printed: bool = False
    compared: tuple[str, ...] = ()

    @property
    def is_unique_by_data(self) -> bool:
        """Whether two records with the same system and interval give two rows with one key."""
        return "interval_start_utc" in self.key


def known_marts(connection: DuckDBPyConnection) -> dict[str, Mart]:
    """Return name -> what meta.lineage says of a mart for the audit.

    Raises WarehouseError if an earlier version made the build.
    """
    try:
        result = connection.execute(
            "SELECT split_part(name, '.', 2), audit.key, audit.signed, audit.printed, "
            "audit.compared FROM meta.lineage WHERE audit IS NOT NULL ORDER BY name"
        ).fetchall()
    except (CatalogException, BinderException):
        raise WarehouseError(
            "an earlier version of perfhouse made the last build: run 'perfhouse build' first"
        ) from None
    return {
        name: Mart(tuple(key), tuple(signed), printed, tuple(compared))
        for name, key, signed, printed, compared in result
    }
