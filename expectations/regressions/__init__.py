"""Regressions of performance runs: detected, tested, explained and reported once.

`judge.judge_build` is the entry point. It reads the series of a build (`series`), takes off what
changed in the environment (`environment`), finds their change points (`levels`, dated in
`together`), compares builds with few runs (`builds`), levels with a model (`against_model`) and
finds faults of the data (`faults`). `triage` matches change points with the regressions that are
known (`matching`), observes what has become of each (`observing`, `present`), takes the transitions
of `states`, and groups what is left (`groups`); `explain` locates the cause, and `store` keeps all
as immutable events. docs/regressions.md has the rules.
"""
