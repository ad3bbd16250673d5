"""Regressions of performance runs: detected, tested, explained and reported once.

`judge.judge_build` is the entry point. It reads the series of a build (`series`), finds level
shifts (`levels`), compares builds with few runs (`builds`), compares levels with a model
(`against_model`) and finds incomplete runs and missing metrics (`missing_data`); `explain` locates
the cause of a change, `triage` decides what is new and what becomes of the known ones, and `store`
keeps it as immutable events.
docs/regressions.md has the rules.
"""
