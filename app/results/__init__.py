"""Read the published warehouse: queries, comparisons and series of runs."""
