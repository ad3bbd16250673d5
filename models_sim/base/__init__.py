"""What every family of models is built from: cells, parameters, effects, the search."""
