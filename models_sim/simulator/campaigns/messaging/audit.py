"""SMF 180 of the runs that Advanced Message Security protects: some of the calls that it audits."""

from __future__ import annotations

import numpy as np
import polars as pl

from models_sim.simulator.campaigns.site import SITE, SOURCE, manager
from models_sim.simulator.mq.ams import add_audit
from models_sim.simulator.mq.dump import Dump

__all__ = ["audit_records"]

_RECORDS = 20  # of each run: enough to be seen, and no measure of its work


def audit_records(runs: pl.DataFrame, seed: int) -> list[bytes]:
    """Records of the source's LPAR, within a dump's own two; none where no run has a policy."""
    if "ams" not in runs.columns:
        return []
    rng = np.random.default_rng([seed, *b"audit"])
    dump = Dump(SOURCE, SITE.offset)
    protected = runs.filter(pl.col("ams").fill_null("N") != "N")
    for begin, seconds in protected.select("begin", "seconds").iter_rows():
        add_audit(dump, manager(SOURCE), begin, seconds, _RECORDS, rng)
    return dump.compose() if dump.records else []
