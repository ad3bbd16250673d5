"""Verdicts: samples of figures against each other, against prints, claims and limits.

Pure numerics: nothing here knows a database or a file. docs/detector.md describes the method,
docs/developers/comparison-figures.md how often it is right.
"""
