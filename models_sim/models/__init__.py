"""Models of published systems, one package per family: mechanism, parameters and fit."""
