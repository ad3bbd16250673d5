"""Cost and zIIP figures of runs, worked out from raw records without any code of dbt."""
