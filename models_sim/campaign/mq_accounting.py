"""SMF 116-1 of a campaign: what the agents' and the channels' calls took."""

from __future__ import annotations

from datetime import timedelta

import polars as pl

from models_sim.campaign.mq_channels import channel_names
from models_sim.campaign.site import BATCH, CHUNK, ELAPSED, SITE
from models_sim.zos.log import Tables, section

__all__ = ["agent_task", "channel_task"]

_PUT, _GET, _COMMIT = 0.020, 0.020, 0.004  # of an address space's CPU time: what the calls take
_RRS, _MOVER = 7, 6


def agent_task(rows: pl.DataFrame) -> Tables:
    """The agent: puts the data on the source's side, gets it on the target's."""
    cpu = pl.col("agent_us").fill_null(0)
    puts = pl.col("side") == "source"
    return _task(rows, pl.col("agent"), _RRS, pl.lit(""), cpu, puts, number=1)


def channel_task(rows: pl.DataFrame) -> Tables:
    """The channel: gets the data on the source's side, puts it on the target's."""
    channel, _ = channel_names()
    cpu = pl.col("chin_us").fill_null(0)
    puts = pl.col("side") == "target"
    return _task(rows, pl.col("chin"), _MOVER, channel, cpu, puts, number=2)


def _task(
    rows: pl.DataFrame,
    job: pl.Expr,
    kind: int,
    channel: pl.Expr,
    cpu: pl.Expr,
    puts: pl.Expr,
    number: int,
) -> Tables:
    """Identification, task and queue of one task of each row."""
    thread = bytes.fromhex(f"5B00{number:02X}40")
    block = bytes.fromhex(f"6200{number:02X}60")
    more = pl.col("put_more_us") if number == 1 else pl.lit(0.0)
    base = (cpu - more).clip(0)
    put_us = pl.when(puts).then(base * _PUT + more).otherwise(0.0).round()
    get_us = pl.when(puts).then(0.0).otherwise(base * _GET).round()
    commit_us = (base * _COMMIT).round()
    count = pl.col("messages")
    commits = -(-count // BATCH)
    put_count, get_count = (pl.when(c).then(count).otherwise(0) for c in (puts, ~puts))
    put_bytes, get_bytes = (pl.when(c).then("message_bytes").otherwise(0) for c in (puts, ~puts))
    longest = pl.min_horizontal(pl.lit(CHUNK), "message_bytes")
    on_source = pl.col("side") == "source"
    data = pl.lit("SYSTEM.FTE.DATA.") + pl.col("agent")
    _, partner = channel_names()
    cf_us = pl.when("shared").then(count * 24).otherwise(0)
    forces = -(-pl.col("control") // BATCH)
    return {
        "smf116_wtid": section(
            rows,
            wtidatyp=kind,
            wtidccn=job,
            wtidopid="PERFUSR",
            wtidnid=b"\x40" * 8 + bytes(8),
            wtidcori=bytes(4) + thread + bytes(4),
            wtiduowi=b"\x40" * 16 + bytes(4) + thread,
            wtidchl=channel,
            wtidtran="PERFUSR",
        ),
        "smf116_wtas": section(
            rows,
            wtasstrt=pl.lit(SITE.ipl + timedelta(minutes=6)),
            wtasmthr=thread,
            wtaswtas=block,
            wtasflag=0x0080_0000,
            wtaswqct=1,
            wtascmet=(commit_us * ELAPSED).round() + forces * 320,
            wtascmct=commit_us,
            wtascmn=commits,
            wtasjwet=forces * 320,
            wtasjwn=forces,
            wtasjcet=forces * 320,
            wtasjcn=forces,
            wtascsec=pl.when("shared").then(count * 2).otherwise(0),
            wtassstc=cf_us,
            wtasints=pl.col("start"),
            wtasinte=pl.col("end"),
            wtasver=8,
        ),
        "smf116_wq": section(
            rows,
            wqver=8,
            correl=bytes.fromhex("DE4F2A1C00000000") + thread + block,
            objname=pl.when(on_source).then(partner).otherwise(data),
            basename=pl.when(on_source).then(partner).otherwise(data),
            opentime=pl.col("start") + timedelta(seconds=4),
            qtype=1,
            qsgdisp=pl.when("shared").then(2).otherwise(0),
            cfstrucname=pl.when("shared").then(pl.lit("MQPGMFT1")).otherwise(pl.lit("")),
            nps=3,
            nbuffpool=3,
            openeye="OPEN",
            closeeye="CLOS",
            geteye="GET",
            puteye="PUT",
            put1eye="PUT1",
            inqeye="INQ",
            seteye="SET",
            cbeye="CB",
            putn=put_count,
            putct=put_us,
            putet=(put_us * ELAPSED).round() + pl.when(puts).then(cf_us).otherwise(0),
            putbytes=put_bytes,
            validput=put_count,
            putpwg=pl.when(~on_source & puts).then(put_count * 9 // 10).otherwise(0),
            putmaxms=pl.when(puts).then(longest).otherwise(0),
            putminms=pl.when(puts).then(longest).otherwise(0x0FFF_FFFF),
            getn=get_count,
            geta=get_count,
            getct=get_us,
            getet=(get_us * ELAPSED).round() + pl.when(~puts).then(cf_us).otherwise(0),
            getbytes=get_bytes,
            validget=get_count,
            getdval=get_count,
            getmaxms=pl.when(~puts).then(longest).otherwise(0),
            getminms=pl.when(~puts).then(longest).otherwise(0x0FFF_FFFF),
            totlatnt=get_count * 900,
            maxlatnt=pl.when(get_count > 0).then(4200).otherwise(0),
            minlatnt=pl.when(get_count > 0).then(300).otherwise(0),
            maxqdpth=10,
            total_use=1,
            use_count=1,
        ),
    }
