"""What a prediction does not take into account, in words: cautions and reasons.

A caution names factors that are set but do not move the figure, and settings that were not
measured. A reason names the factors that make a row impossible to predict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
}


def ignored(used: Iterable[str], usual: Mapping[str, tuple[object, ...]]) -> pl.Expr:
    """Return the caution `not used: ...` about factors that are set and not in `used`, or null.

    `usual` adds settings of this family that need no caution.
    """
    unused = [name for name in FACTORS if name not in frozenset(used)]
    names = [
        pl.when(
            pl.col(name).is_not_null() & ~pl.col(name).is_in([*FACTORS[name], *usual.get(name, ())])
        ).then(pl.lit(name))
        for name in unused
    ]
    text = pl.concat_str(names, separator=", ", ignore_nulls=True) if names else pl.lit("")
    return pl.when(text != "").then(pl.format("not used: {}", text))


def when(condition: pl.Expr, text: str) -> pl.Expr:
    """Return the text where the condition holds, otherwise null."""
    return pl.when(condition.fill_null(value=False)).then(pl.lit(text))


def join(*texts: pl.Expr) -> pl.Expr:
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
