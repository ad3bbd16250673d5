"""The commands of `perfhouse`: a module for each group of them.

A module has `add(command)`, which declares its commands by calling `command(name, run, summary)`
for each and adding its arguments to the parser that it returns; `run` takes the parsed arguments
and gives the exit status. What a command alone needs is imported when it runs: every command
starts as fast as the fastest.
"""

from app.commands import (
    comparing,
    dashboard,
    models,
    pipeline,
    reading,
    regressions,
    reporting,
    runs,
    simulate,
)

GROUPS = (pipeline, runs, reading, comparing, regressions, reporting, models, simulate, dashboard)

__all__ = ["GROUPS"]
