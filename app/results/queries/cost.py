"""What a GB or a transaction costs, by address space, with and without zIIPs."""

from __future__ import annotations

import polars as pl

from app.results.reader import Reader

__all__ = [
    "KINDS", "builds", "by_space", "campaigns", "explained", "published",
]  # fmt: skip

#: Kinds of address spaces, in the order in which they are drawn.
KINDS = (
    "queue manager", "channel initiator", "MFT agent", "AMS", "TCP/IP", "zCX",
    "server application", "other", "not captured",
)  # fmt: skip
_TOTAL = "total"


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


def by_space(reader: Reader, origin: str, campaign: str, build: str) -> pl.DataFrame:
    """Return one row per configuration and address space, and of the kinds "total" and "workload".

    configuration_id, configuration, address_space, kind, runs, cpu_seconds, eligible_seconds,
    ziip_share_percent, and the costs per GB and per transaction, before and after offload; by the
    site's own prices the same in money per GB and per million transactions, with currency and
    cp_second. Network counts in the rows of these two kinds.
    """
    return reader.frame(
        """
        with price as (
            select
                configuration_id,
                any_value(price.currency) as currency,
                avg(price.money_per_cp_second) as cp_second,
                avg(price.network_money * 1073741824 / nullif(run.bytes, 0)) as per_gb,
                avg(price.network_money * 1e6 / nullif(run.transactions, 0)) as per_million
            from marts.fct_run_price as price
            inner join marts.fct_run_total as run using (origin, run_id, configuration_id)
            where
                price.origin = $1 and price.campaign = $2 and coalesce(price.git_revision, '') = $3
                and run.is_compared
            group by configuration_id
        )

        select
            configuration_id, configuration, address_space, kind, runs, cpu_seconds,
            eligible_seconds, ziip_share_percent, cost_per_GB, cost_per_GB_after_offload,
            cost_per_transaction_us, cost_per_transaction_after_offload_us,
            price.currency, price.cp_second,
            kind in ('total', 'workload') as is_whole,
            if(is_whole, per_gb, 0) as network_per_gb,
            if(is_whole, per_million, 0) as network_per_million,
            cost_per_GB * price.cp_second + network_per_gb as money_per_gb,
            cost_per_GB_after_offload * price.cp_second + network_per_gb
                as money_per_gb_after_offload,
            cost_per_transaction_us * price.cp_second + network_per_million
                as money_per_million,
            cost_per_transaction_after_offload_us * price.cp_second + network_per_million
                as money_per_million_after_offload
        from marts.fct_cost_by_address_space
        left join price using (configuration_id)
        where origin = $1 and campaign = $2 and coalesce(git_revision, '') = $3
        order by
            configuration, kind <> 'total', kind <> 'workload', cpu_seconds desc nulls last,
            address_space
        """,
        (origin, campaign, build),
    )


def published(reader: Reader, origin: str, campaign: str) -> pl.DataFrame:
    """Return the printed cost that means that of each configuration, and the verdict on it.

    configuration_id, metric, value, document_id, verdict: of marts.fct_print_on_runs.
    """
    return reader.frame(
        """
        select
            configuration_id, metric, coalesce(published_value, published_low) as value,
            document_id, verdict
        from marts.fct_print_on_runs
        where
            origin = ? and campaign = ? and address_space is null
            and metric in (
                'cost_per_GB', 'cost_per_transaction', 'cost_per_GB_of_workload',
                'cost_per_transaction_of_workload'
            )
        qualify row_number() over (
            partition by configuration_id, metric order by len(assumed), cell_id
        ) = 1
        """,
        (origin, campaign),
    )


def explained(reader: Reader, origin: str, campaign: str, build: str) -> pl.DataFrame:
    """Return the change of each part of a cost or time since the build before, largest first.

    verdict: of marts.fct_comparison, on the whole; what is decided comes first.
    """
    return reader.frame(
        """
            select
                configuration.configuration, change.before_git_revision as before, change.metric,
                change.split, change.part, change.unit, change.value_before, change.value_after,
                change.difference, change.difference_percent_of_whole as percent, change.runs,
                change.before_runs, judged.verdict
            from marts.fct_run_explanation as change
            inner join marts.dim_configuration as configuration using (configuration_id)
            left join marts.fct_comparison as judged
                on judged.kind = 'git_revision' and change.origin = judged.origin
                and change.configuration_id = judged.configuration_id
                and change.before_git_revision = judged.level_before
                and change.git_revision = judged.level_after and change.metric = judged.metric
            where
                change.origin = $1 and change.campaign = $2
                and coalesce(change.git_revision, '') = $3 and change.difference <> 0
            order by
                coalesce(judged.verdict, 'undecided') = 'undecided',
                abs(change.difference_percent_of_whole) desc nulls last,
                configuration.configuration, change.split, change.part
            limit 5000
            """,
        (origin, campaign, build),
    )
