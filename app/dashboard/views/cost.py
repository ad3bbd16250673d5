"""What a GB or a transaction costs by address space, before and after zIIPs take what they can.

Code of its own: costs are split by address space, and explained against the build before.
"""

from __future__ import annotations

import polars as pl
import streamlit as st

from app.charts.bars import bars
from app.dashboard import advice, components, filters, session, systems, units
from app.dashboard.no_runs import no_runs
from app.results.labels import in_order, short_labels
from app.results.pages import FOLDER, page_of
from app.results.queries import cost as queries
from app.results.queries.rules import OF_COST
from app.results.queries.scope import Keyed
from app.results.queries.systems import rows
from app.results.reader import Reader

_MOST = 10  # configurations drawn
# What the cost is of: columns before and after offload, and their unit.
_OF = {
    "per GB": ("cost_per_GB", "cost_per_GB_after_offload", "CPU s/GB"),
    "per transaction": (
        "cost_per_transaction_us", "cost_per_transaction_after_offload_us", "CPU µs",
    ),
}  # fmt: skip
_WHOLES = {"total": "all LPARs", "workload": "the workload"}  # kind of row -> what it covers


def draw(reader: Reader) -> None:
    """Draw the page."""
    all_campaigns = queries.campaigns(reader)
    if all_campaigns.is_empty():
        components.header("Cost and zIIP")
        no_runs(
            reader,
            "To see what a GB or a transaction costs, say when the work ran and how much it was.",
        )
        return
    with st.sidebar:
        origins = all_campaigns["origin"].unique(maintain_order=True).to_list()
        origin = filters.switch("Origin", origins, "origin")
        of_origin = all_campaigns.filter(pl.col("origin") == origin)
        campaign = filters.choice("Campaign", of_origin["campaign"].to_list(), "campaign")
        build = filters.choice("Build", queries.builds(reader, origin, campaign), "build")
    components.header(
        "Cost and zIIP",
        "CPU time at the speed of a CP, by address space, before and after zIIPs take what is "
        "eligible.",
        origin,
    )
    page = page_of(FOLDER / "cost.toml")
    scope = Keyed(campaign, origin=origin, campaign=campaign, build=build)
    costs = rows(reader, scope, page.sections[0].tables[0])
    shapes = [shape for shape, (column, *_) in _OF.items() if costs[column].is_not_null().any()]
    if not shapes:
        components.info(
            f"No run of campaign {campaign} has both CPU time (SMF 30 and 70 of its LPARs) and "
            "bytes or transactions, so there is no cost of either.",
            "block",
        )
        return
    shape = filters.switch("Cost", shapes, "of")
    costs = costs.drop_nulls(_OF[shape][0])
    _in_words(costs, shape)
    _charts(costs, shape)
    systems.sections(page, reader, scope)
    components.link(
        "lineage", "Where these figures come from", follow="Tables",
        table="marts.fct_cost_by_address_space",
    )  # fmt: skip
    components.note(
        "What such work would take and cost with other zIIPs, machines or prices, with its band:"
    )
    work = "gb=500" if shape == "per GB" else "clients=1000"
    components.code(f"plan {work} --like RUN machine=z16 ziips=0,1,2")
    advice.draw(OF_COST, reader, origin, campaign)


def _in_words(costs: pl.DataFrame, of: str) -> None:
    """Say what a unit of work costs on all LPARs, and what of it zIIPs could take."""
    before, _, unit = _OF[of]
    totals = costs.filter(pl.col("kind") == "total").drop_nulls(before)
    if totals.is_empty():
        return
    least, most = totals[before].min(), totals[before].max()
    text = units.quantity(least, unit)  # type: ignore[arg-type]
    if most != least:
        text = f"{units.number(least)} to {units.quantity(most, unit)}"  # type: ignore[arg-type]
    share = totals["ziip_share_percent"].drop_nulls()
    ziips = "How much of it zIIPs could take is not known: that needs SMF 72."
    if share.len():
        ziips = f"zIIPs could take {units.quantity(share.median(), '%')} of it"  # type: ignore[arg-type]
        ziips += f" (the middle of {share.len()} configurations)." if share.len() > 1 else "."
    unit_of_work = "A GB" if of == "per GB" else "A transaction"
    components.name(f"{unit_of_work} costs {text.removesuffix('/GB')} on all LPARs. {ziips}")


def _charts(costs: pl.DataFrame, of: str) -> None:
    before, after, unit = _OF[of]
    short = short_labels(in_order(costs["configuration"].unique().to_list()))
    names = list(short.values())
    drawn = filters.choices(
        f"Configurations in the charts (of {len(names)})", names, "drawn", most=_MOST,
        placeholder=f"the first {_MOST}" if len(names) > _MOST else "all",
    ) or names[:_MOST]  # fmt: skip
    split = (
        costs.filter(~pl.col("kind").is_in(_WHOLES))
        .with_columns(pl.col("configuration").replace(short))
        .filter(pl.col("configuration").is_in(drawn))
        .group_by("configuration", "kind", maintain_order=True)
        .agg(pl.col(before).sum(), pl.col(after).sum())
        .filter((pl.col(before) > 0).any().over("kind"))
    )
    most = split.group_by("configuration").agg(pl.col(before).sum())[before].max()
    shown = {"Before offload": before, "After offload": after}
    if (split[before] - split[after]).abs().max() == 0:
        shown = {"None of it is zIIP-eligible": before}
    for title, column in shown.items():
        chart = bars(
            split, name="configuration", value=column, unit=unit, names=drawn, series="kind",
            order=queries.KINDS, label_width=380, most=most,  # type: ignore[arg-type]
        )  # fmt: skip
        components.panel(f"{title}, {of}", chart)


if __name__ == "__main__":
    draw(session.reader())
