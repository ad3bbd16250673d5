"""Models of the published systems: one package per family, with mechanism, parameters and fit."""
