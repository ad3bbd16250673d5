"""SMF 70 subtype 2: cryptographic cards, for the whole machine and for this system."""

from __future__ import annotations

from typing import Any

import polars as pl

from models_sim.simulator.log import Log, section
from models_sim.simulator.zos.machine import Frames
from models_sim.simulator.zos.profile import Card, Sysplex
from models_sim.simulator.zos.rmf import intervals_of, product

__all__ = ["add_crypto"]

_CARD_TYPE = 6  # more than the generation of Crypto Express
_UNIT = 1e-6 * 1.024  # seconds per unit of a card's time
_MACHINE_WIDE, _OF_SYSTEM = 0, 1
_DOMAINS = {_MACHINE_WIDE: 0, _OF_SYSTEM: 11}
_OPERATIONS = {  # fields of time and count, and whether they are per engine
    "all": ("r7023t0", "r7023c0", False),
    "rsa_key_generation": ("", "r7023c1", False),
    "rsa_2048_me": ("r7022met", "r7022mec", True),
    "rsa_2048_crt": ("r7022crt", "r7022crc", True),
    "rsa_4096_crt": ("r7023crt", "r7023crc", False),
    "slow_asymmetric": ("r7025sat", "r7025sac", False),
    "fast_asymmetric": ("r7025fat", "r7025fac", False),
    "symmetric_complete": ("r7025sct", "r7025scc", False),
}
_ENGINES = 5
_TABLES = {
    "cca": "smf70_2_crypto_cca_coprocessor",
    "accelerator": "smf70_2_crypto_accelerator",
    "pkcs11": "smf70_2_crypto_pkcs11_coprocessor",
}
_PREFIX = {"cca": "r7023", "accelerator": "r7024", "pkcs11": "r7025"}
_VALID = {
    "cca": ("r7023all", "r7023rsa"),
    "accelerator": ("r7022km", "r7022kc", "r7023kc"),
    "pkcs11": ("r7025sa", "r7025fa", "r7025sc"),
}


def add_crypto(log: Log, site: Sysplex, frames: Frames) -> None:
    """Add the record of the cards of each interval in which they were used."""
    if not site.cards or not frames["crypto"].height:
        return
    used = frames["interval"].join(frames["crypto"], on="interval", how="semi",
                                   maintain_order="left")  # fmt: skip
    records = intervals_of(site, used)
    if "crypto_part" in frames:
        records = records.join(frames["crypto_part"], on=["system", "interval"], how="left",
                               maintain_order="left")  # fmt: skip
    else:
        of_site = dict(site.crypto_parts)
        records = records.with_columns(part=pl.col("system").replace_strict(of_site, default=0.0))
    records = records.with_columns(pl.col("part").fill_null(0.0))
    of_machine = _by_operation(frames["crypto"])
    keyed = records.select("record_no", "interval", "part").join(
        of_machine, on="interval", how="left"
    )
    both = pl.concat(
        [
            keyed.with_columns(part=pl.lit(1.0), scope=pl.lit(_MACHINE_WIDE)),
            keyed.with_columns(scope=pl.lit(_OF_SYSTEM)),
        ]
    )
    tables = product(70, 2, site, records)
    code = site.figures["crypto_express"] + _CARD_TYPE
    for kind, table in _TABLES.items():
        made = [_card(card, code, both) for card in site.cards if card.kind == kind]
        if made:
            cards = pl.concat(made, how="diagonal_relaxed")
            number = f"{_PREFIX[kind]}ax"
            tables[table] = cards.sort("record_no", number, "scope").drop("scope")
    tables["smf70_2_icsf_services"] = _services(keyed)
    log.add(70, 2, records.select("record_no", "system", "moment"), tables)


def _by_operation(crypto: pl.DataFrame) -> pl.DataFrame:
    """Return one row per interval, with `<card> <operation> operations` and `... execution_us`."""
    named = crypto.with_columns(name=pl.format("{} {}", "card", "operation"))
    both = [
        named.with_columns(pl.format(f"{{}} {value}", "name").alias("name")).pivot(
            "name", index="interval", values=value
        )
        for value in ("operations", "execution_us")
    ]
    return both[0].join(both[1], on="interval")


def _card(card: Card, code: int, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the sections of one card of a type, for the machine and for the system."""
    p = _PREFIX[card.kind]
    fields: dict[str, Any] = {f"{p}ax": card.number, f"{p}ct": code, f"{p}sf": _UNIT}
    fields |= dict.fromkeys(_VALID[card.kind], True)
    fields[f"{p}scope"] = pl.col("scope")
    fields[f"{p}did"] = pl.col("scope").replace_strict(_DOMAINS)
    if card.kind == "accelerator":
        fields["r7024en"] = 1
    for operation, _, _ in card.operations:
        time_name, count_name, engines = _OPERATIONS[operation]
        name = f"{card.number} {operation}"
        count = (pl.col(f"{name} operations") * pl.col("part")).round().cast(pl.Float64)
        time = pl.col(f"{name} execution_us") * pl.col("part") / 1e6 / _UNIT
        for field, value in ((time_name, time), (count_name, count)):
            if field:
                fields[field] = _of_first_engine(value) if engines else value
    return section(rows, "scope", **fields)


def _of_first_engine(value: pl.Expr) -> pl.Expr:
    zeros = [pl.lit(0.0, pl.Float64)] * (_ENGINES - 1)
    return pl.concat_arr(value, *zeros)


def _services(rows: pl.DataFrame) -> pl.DataFrame:
    hashed = pl.sum_horizontal(pl.col("^.* operations$")) * pl.col("part")

    def times(factor: float) -> pl.Expr:
        return (hashed * factor).round()

    return section(
        rows,
        r702cdlv=23,
        r702aesc=times(2.0),
        r702aesb=times(2.0) * 4096,
        r702aesi=times(2.0),
        r702nh2c=times(3.0),
        r702nh2b=times(3.0) * 512,
        r702nh2i=times(3.0),
        r702drgc=times(0.2),
        r702drvc=times(0.3),
    )
