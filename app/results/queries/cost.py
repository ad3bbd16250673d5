"""What a GB or a transaction costs, by address space, with and without zIIPs."""

from __future__ import annotations

import polars as pl

from app.results.reader import Reader

__all__ = ["KINDS", "builds", "campaigns"]

#: Kinds of address spaces, in the order in which they are drawn.
KINDS = (
    "queue manager", "channel initiator", "MFT agent", "AMS", "TCP/IP", "zCX",
    "server application", "other", "not captured",
)  # fmt: skip


def campaigns(reader: Reader) -> pl.DataFrame:
    """Return one row per origin and campaign with CPU time, latest first.

    Those with costs come before: without bytes and transactions there is CPU time only.
    """
    return reader.frame(
        """
        select run.origin, run.campaign, max(run.stop_utc) as last_utc
        from marts.fct_run as run
        inner join (
            select
                origin, campaign,
                bool_or(coalesce(cost_per_GB, cost_per_transaction_us) is not null) as is_known
            from marts.fct_cost_by_address_space
            group by all
        ) as cost on run.origin = cost.origin and run.campaign = cost.campaign
        group by all
        order by bool_or(is_known) desc, last_utc desc, run.campaign
        """
    )


def builds(reader: Reader, origin: str, campaign: str) -> list[str]:
    """Return the builds of a campaign whose runs have costs, latest first; '' for none given."""
    return reader.frame(
        """
        select coalesce(git_revision, '') as build
        from marts.fct_run
        where origin = ? and campaign = ?
        group by build
        order by max(stop_utc) desc, build
        """,
        (origin, campaign),
    ).to_series().to_list()  # fmt: skip
