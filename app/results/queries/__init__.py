"""Named queries on the marts: each takes a Reader and returns a Polars frame."""
