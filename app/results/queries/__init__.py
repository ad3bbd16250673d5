"""Named questions to the marts: each function takes a Reader and returns a Polars frame."""
