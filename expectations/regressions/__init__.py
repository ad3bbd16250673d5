"""Regressions of performance runs: found, believed, explained, and reported once.

`judge.judge_build` is the entry. It reads the runs' series from a build (`series`), looks for
level shifts (`levels`), compares builds of few runs (`pairs`), holds levels against a model
(`model`) and runs against what they should have (`data`); `explain` says where a change lies,
`triage` what is new in all that, and `store` keeps it as events that nothing changes afterwards.
docs/regressions.md has the rules.
"""
