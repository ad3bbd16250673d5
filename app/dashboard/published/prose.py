"""The claims of the documents, and what is held against each; their slips."""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from app.dashboard import components, filters, units
from app.results.labels import metric_label, unit_label
from app.results.queries import published as queries
from app.results.reader import Reader
from models_sim.calibration.claims import predicted as predicted_claims

__all__ = ["draw_claims", "draw_slips"]

_ALL = "all"
_TALL = 60  # rows that a page shows at once
_VERDICTS = {
    "agrees": "the printed figures bear it out",
    "differs": "the printed figures contradict it",
    "as predicted": "no printed figure bears on it; the model expects as much",
    "unlike predicted": "no printed figure bears on it; the model expects something else",
    "not checked against anything": "no printed figure bears on it, and no model covers it",
}


def draw_claims(reader: Reader, document: str, place: str) -> None:
    """Draw the figures that stand in prose, and what is held against each."""
    claims = _judged(queries.claims(reader))
    components.note("Figures in the prose of the documents, and what perfhouse holds against each.")
    with st.container(horizontal=True):
        documents = sorted(set(claims["document_id"]))
        shown_documents = filters.choices("Documents", documents, "of", default=[document])
        verdicts = filters.choices("Verdict", list(_VERDICTS), "verdict")
        where = filters.switch("Section", [_ALL, place], "where")
    if shown_documents:
        claims = claims.filter(pl.col("document_id").is_in(shown_documents))
    if where != _ALL:
        claims = claims.filter(pl.col("place") == place)
    counted = dict(claims.group_by("verdict").len().iter_rows())
    components.tiles(
        {
            verdict.capitalize(): (units.number(counted.get(verdict, 0)), meaning)
            for verdict, meaning in _VERDICTS.items()
        }
    )
    if verdicts:
        claims = claims.filter(pl.col("verdict").is_in(verdicts))
    if claims.is_empty():
        components.info("No claim matches these filters. Clear one of them.", "tune")
        return
    components.table(
        claims,
        "published_claims",
        is_whole=claims.height <= _TALL,
        columns={
            "claim_id": "Claim",
            "document_id": "Document",
            "place": "Section",
            "said": "Claimed",
            "conditions": "Of what",
            "verdict": "Verdict",
            "computed": "From printed figures",
            "basis": "Which",
            "expected": "Model, 10 to 90 %",
            "runs": "Our runs of these figures",
            "runs_verdict": "On our runs",
            "found": "Found",
            "runs_campaign": "Campaign",
            "deciding_runs": "Runs that decide it",
            "runs_reason": "Why runs do not decide it",
            "why_not": "Remark",
            "slips": "Slips",
            "source_line": "Line",
        },
    )


def _judged(claims: pl.DataFrame) -> pl.DataFrame:
    """Add what is said, computed and expected as texts, and the verdict."""
    answers = (
        predicted_claims()
        .group_by("claim", "end", maintain_order=True)
        .agg(
            pl.col("predicted").min().alias("expected_low"),
            pl.col("predicted").max().alias("expected_high"),
            pl.col("low").min(),
            pl.col("high").max(),
            fitted=(pl.col("use") == "fitted").all(),
            remark=pl.col("remark").first(),
        )
        .unique("claim", keep="first", maintain_order=True)
    )
    rows = claims.join(
        answers, left_on="claim_id", right_on="claim", how="left", maintain_order="left"
    )
    stated = pl.when(pl.col("end") == "high").then("claimed_high").otherwise("claimed_low")
    stated = pl.coalesce(stated, "claimed_low", "claimed_high")
    verdict = (
        pl.when(pl.col("is_within_claim")).then(pl.lit("agrees"))
        .when(~pl.col("is_within_claim")).then(pl.lit("differs"))
        .when(stated.is_between("low", "high")).then(pl.lit("as predicted"))
        .when(pl.col("low").is_not_null()).then(pl.lit("unlike predicted"))
        .otherwise(pl.lit("not checked against anything"))
    )  # fmt: skip
    texts = [
        {
            "said": _claimed(row),
            "computed": _between(row["computed_low"], row["computed_high"], row["unit"]),
            "expected": _between(row["low"], row["high"], row["unit"]),
            "found": _between(row["lowest"], row["highest"], row["unit"]),
            "why_not": "; ".join(
                text for text in (
                    row["not_computed_reason"],
                    "the model is fitted to it" if row["fitted"] else None,
                    row["remark"],
                    "rests on a doubtful figure" if row["rests_on_suspect"] else None,
                ) if text
            ),
            "slips": ", ".join(map(str, row["anomaly_ids"])),
        }
        for row in rows.iter_rows(named=True)
    ]  # fmt: skip
    order = ("said", "computed", "expected", "found", "why_not", "slips")
    return rows.with_columns(verdict=verdict).hstack(
        pl.DataFrame(texts, schema=dict.fromkeys(order, pl.String))
    )


def _claimed(row: dict[str, Any]) -> str:
    low, high = row["claimed_low"], row["claimed_high"]
    sign = {"=": "", "range": "", "~": "about "}.get(row["comparator"], f"{row['comparator']} ")
    return f"{metric_label(row['metric'])}: {sign}{_between(low, high, row['unit'])}"


def _between(low: float | None, high: float | None, unit: str | None) -> str:
    """Return a figure or a range with its unit."""
    ends = dict.fromkeys(units.number(end) for end in (low, high) if end is not None)
    return f"{' to '.join(ends)} {unit_label(unit or '')}".strip() if ends else ""


def draw_slips(reader: Reader, document: str, place: str) -> None:
    """Draw the slips of the document."""
    del place
    slips = queries.slips(reader).filter(pl.col("document_ids").list.contains(document))
    components.note(
        "Misprints, contradictions and noise of this document, and how each is treated. The "
        "printed figures stay as they are."
    )
    if slips.is_empty():
        components.info("No slip of this document is known.", "verified")
        return
    components.table(
        slips.with_columns(
            doubtful=pl.when("affects_value").then(pl.lit("yes")).otherwise(pl.lit("no"))
        ),
        "published_slips",
        columns={
            "anomaly_id": "Footnote",
            "place": "Place",
            "anomaly_kind": "Kind",
            "finding": "What is wrong",
            "treatment": "How it is treated",
            "cells": "Figures",
            "claims": "Claims",
            "doubtful": "Makes figures doubtful",
        },
    )
