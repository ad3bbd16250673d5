"""Great Expectations on DuckDB; importing a module of this package imports it (seconds)."""
