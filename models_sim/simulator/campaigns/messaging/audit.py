"""SMF 180 of the runs that Advanced Message Security protects, for some of the audited calls."""

from __future__ import annotations

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.site import SITE, SOURCE, manager
from models_sim.simulator.mq.ams import add_audit
from models_sim.simulator.mq.dump import Dump

__all__ = ["audit_records"]

_RECORDS = 20  # per run, enough to be visible, but not proportional to its work


def audit_records(runs: pl.DataFrame, seed: int) -> list[bytes]:
    """Return the records of the source's LPAR in a dump; none if no run has a policy."""
    rng = np.random.default_rng([seed, *b"audit"])
    dump = Dump(SOURCE, SITE.offset)
    protected = runs.filter(pl.col("ams").fill_null("N") != "N")
    for begin, seconds in protected.select("begin", "seconds").iter_rows():
        add_audit(dump, manager(SOURCE), begin, seconds, _RECORDS, rng)
    return dump.compose() if dump.records else []
