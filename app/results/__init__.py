"""What the published warehouse says, for every reader: queries, comparisons, series of runs."""
