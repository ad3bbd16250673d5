"""What a prediction does not take into account, in words: cautions and reasons.

A caution names factors that are set but do not move the figure, and settings that were not
measured. A reason names the factors that make a row impossible to predict.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import polars as pl

#: Factors of a cell, and the settings that are the same as leaving the factor out.
FACTORS: Mapping[str, tuple[object, ...]] = {
    "source": (),
    "target": (),
    "target_storage": (),
    "network": (),
    "queue": ("Private",),
    "zhpf": ("Y",),
    "tls": ("N",),
    "ams": ("N",),
    "compmsg": ("N",),
    "p2wg": ("Y",),
    "batchint": (0,),
    "mode": ("binary",),
    "file_size_mb": (),
    "chunk_size": (),
    "md5": ("N",),
    "connection": (),
    "transfer": (),
    "address_space": (),
    "ziip_offload": ("N",),
    "protocol": (),
    "latency_ms_oneway": (),
    "loss_pct": (0.0,),
    "channels": (1,),
    "machine": (),
    "compared_with": (),
    "cpus": (),
    "rni": (),
    "cipher": (),
    "message_size_bytes": (),
    "agent_window_size": (10,),
    "agent_frame_size": (5,),
    "agent_checkpoint_interval": (1,),
    "block_size": (),
    "jit_level": ("default",),
}


_METRIC = pl.col("metric")
#: Of figures that no model explains.
PRINTED = "the printed figure itself: nothing predicts it"
KM_PER_MS = 200.0  # light in fibre (anomaly 17)


def ignored(
    cells: pl.DataFrame,
    used: Mapping[str, Iterable[str]],
    usual: Mapping[str, tuple[object, ...]],
    kind: pl.Expr = _METRIC,
) -> pl.Expr:
    """Return the caution `not used: ...` about factors that are set but not used, or null.

    `used` has the factors that each kind of row uses; by default the kind is the metric. `usual`
    adds settings of this family that need no caution.
    """
    names = []
    for name, same in FACTORS.items():
        users = [each for each, factors in used.items() if name in factors]
        if len(users) == len(used) or cells[name].null_count() == cells.height:
            continue
        odd = pl.col(name).is_not_null() & ~pl.col(name).is_in([*same, *usual.get(name, ())])
        odd = odd & ~kind.is_in(users) if users else odd
        names.append(pl.when(odd).then(pl.lit(name)))
    text = pl.concat_str(names, separator=", ", ignore_nulls=True) if names else pl.lit("")
    return pl.when(text != "").then(pl.format("not used: {}", text))


def unknown(rows: pl.DataFrame, known: Collection[str]) -> pl.Expr:
    """Return the caution `not known: ...` about columns that no model has, or null."""
    columns = [name for name in rows.columns if name not in known]
    names = [
        when(pl.col(name).is_not_null() & (pl.col(name).cast(pl.String) != ""), name)
        for name in columns
        if not rows.schema[name].is_nested()
    ]
    text = pl.concat_str(names, separator=", ", ignore_nulls=True) if names else pl.lit("")
    return pl.when(text != "").then(pl.format("not known, so not used: {}", text))


def contradictions(rows: pl.DataFrame) -> pl.Expr:
    """Return the caution about a distance that is not that of the latency, or null."""
    if "latency_km" not in rows.columns or "latency_ms_oneway" not in rows.columns:
        return pl.lit(None, pl.String)
    km, ms = (
        pl.col(name).cast(pl.Float64, strict=False) for name in ("latency_km", "latency_ms_oneway")
    )
    return pl.when((ms - km / KM_PER_MS).abs() > 0.1 * pl.max_horizontal(ms, km / KM_PER_MS)).then(
        pl.format("{} km are {} ms one way, not {}: the ms count", km, km / KM_PER_MS, ms)
    )


def when(condition: pl.Expr, text: str) -> pl.Expr:
    """Return the text where the condition holds, otherwise null."""
    return pl.when(condition.fill_null(value=False)).then(pl.lit(text))


def join(*texts: pl.Expr | str) -> pl.Expr:
    """Return the texts that are not null, separated by semicolons; null if there is none."""
    text = pl.concat_str(list(texts), separator="; ", ignore_nulls=True)
    return pl.when(text != "").then(text)


def refusal(needs: Mapping[str, pl.Expr]) -> pl.Expr:
    """Return the reason that names the factors whose condition does not hold; null if all do."""
    texts = [
        pl.when(~holds.fill_null(value=False)).then(
            pl.format("{} {}", pl.lit(name), pl.col(name).cast(pl.String).fill_null("is missing"))
        )
        for name, holds in needs.items()
    ]
    text = pl.concat_str(texts, separator=", ", ignore_nulls=True)
    return pl.when(text != "").then(pl.format("cannot be modelled with: {}", text))
