"""Where the CPU time of a run went, by LPAR and address space, and what zIIPs could take of it.

The total is the run's cost times the bytes moved. Of it

    the systems' overhead is the model's `cpu_online` (models.mft.stages) for each second of the
      window, by LPAR in proportion to its processors
    the agents take what is eligible for zIIPs, and a little more; the ends share it in the ratio of
      the model's costs on the source's and on the target's side, where reading from a queue costs
      what reading from a data set does
    options are charged where the work is done: TLS and compression to the channel initiators, AMS
      to its own address space, shared queues to the queue managers; two ends on z/OS share them
      equally (document 000, section 4, says so of TLS)
    the rest goes to queue manager, channel initiator and TCP/IP of each end, except that the
      fasp.io gateways of both ends, in z/OS Container Extensions, take half of it, nearly all of
      it eligible (document 000, section 5)

The last weights are invented: no document gives them. A driver's run has the overhead, and by
address space what its scenario gives.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from models_sim.base.cells import normalise
from models_sim.base.family import Floats
from models_sim.base.parameters import load
from models_sim.models.mft import stages as mft_stages
from models_sim.models.mft.families import MFT_ZOS, with_usual_settings
from models_sim.simulator.campaigns.site import (
    CAPTURE,
    SITE,
    SOURCE,
    TARGET,
    agent,
    gateway,
    manager,
)

__all__ = ["split"]

_JAVA = 0.97  # eligible share of an agent's CPU time, the rest is native: invented
_MOST = 0.97  # maximum share of the agents in what is not overhead
_GATEWAY, _GATEWAY_ELIGIBLE = 0.5, 0.985  # eligible: in excess of 98 %
# How queue manager, channel initiator and TCP/IP share what agents and options leave.
_MESSAGING = {"MSTR": 0.40, "CHIN": 0.38, "TCPIP": 0.22}


def split(runs: pl.DataFrame) -> pl.DataFrame:
    """Return one row per run, system and address space: `cpu_seconds` and `eligible_seconds`.

    `eligible_seconds` are part of `cpu_seconds`. `run_no` counts the rows of `runs` from 0. CPU
    time that no address space accounts for is left out.
    """
    whole = (runs["cost_per_GB"] * runs["bytes"] / 2**30).to_numpy()
    total = whole / (1.0 + runs["more_part"].to_numpy())
    window = (runs["stop"] - runs["start"]).dt.total_microseconds().to_numpy() / 1e6
    online = load(MFT_ZOS.file)["cpu_online"]
    eligible = runs["ziip_share"].to_numpy() / 100 * total
    agents = eligible / _JAVA / CAPTURE
    # Overhead can be at most what the agents leave, but is at least 1 %.
    overhead = np.maximum(np.minimum(online * window, total - agents / _MOST), 0.01 * total)
    driven = runs["document"].is_in(["001", "004"]).to_numpy()
    overhead = np.where(driven, online * window, overhead)
    total = np.where(driven, overhead, total)
    work = total - overhead
    ends, sides, options = _stages(runs)
    agents = np.minimum(agents, _MOST * work)
    messaging = work - agents
    placed = {kind: np.minimum(part * work, 0.3 * messaging) for kind, part in options.items()}
    messaging = messaging - sum(placed.values())
    over_fasp = runs["protocol"].eq_missing("FASP").cast(pl.Float64).to_numpy()
    gateways = _GATEWAY * messaging * over_fasp
    messaging = messaging - gateways
    rows: list[tuple[str, str, Floats, float]] = []
    for system, end, side in ((SOURCE, ends[0], sides[0]), (TARGET, ends[1], sides[1])):
        names = {"MSTR": f"{manager(system)}MSTR", "CHIN": f"{manager(system)}CHIN",
                 "AMSM": f"{manager(system)}AMSM", "TCPIP": "TCPIP"}  # fmt: skip
        rows.append((system, agent(system), agents * end, _JAVA))
        rows.append((system, gateway(system), gateways * end, _GATEWAY_ELIGIBLE))
        for kind, name in names.items():
            seconds = end * messaging * _MESSAGING.get(kind, 0.0) + side * placed.get(kind, 0.0)
            rows.append((system, name, seconds, 0.0))
    cps = sum(s.cps for s in SITE.systems)
    for s in SITE.systems:
        for space in s.spaces:
            seconds = overhead * s.cps / cps * space.idle
            rows.append((s.name, space.job, seconds, 0.0))
    model = pl.concat(_row(runs["run_no"], *row) for row in rows)
    more = runs.select("run_no", base=pl.Series(total) * CAPTURE, listed="more")
    spent = runs.select("run_no", base="varied", listed="spent")
    listed = [
        frame.explode("listed", empty_as_null=False)
        .unnest("listed")
        .with_columns(cpu_seconds=pl.col("base") * pl.col(factor))
        .select(
            "run_no",
            "system",
            "job",
            "cpu_seconds",
            eligible_seconds=pl.col("cpu_seconds") * pl.col("eligible"),
        )
        for frame, factor in ((more, "part"), (spent, "seconds"))
    ]
    by_space = pl.concat([model, *listed]).group_by("run_no", "system", "job", maintain_order=True)
    return by_space.agg(pl.col("cpu_seconds", "eligible_seconds").sum())


def _row(run_no: pl.Series, system: str, job: str, cpu: Floats, part: float) -> pl.DataFrame:
    """Return what an address space used in each run: the captured part of its share of the cost."""
    return pl.DataFrame(
        {
            "run_no": run_no,
            "system": system,
            "job": job,
            "cpu_seconds": CAPTURE * cpu,
            "eligible_seconds": CAPTURE * cpu * part,
        }
    )


def _stages(
    runs: pl.DataFrame,
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats], dict[str, Floats]]:
    """Return each run's shares of the source's and target's side, and of options by address space.

    The first pair shares what is not an option, the second pair options. The shares of the sides
    sum to 1; a side on Linux has none. The model's cost is a sum of parameters times factors, so
    the cost of some parameters is the model's result with all others at zero.
    """
    cells = with_usual_settings(normalise(runs.select(pl.lit("000").alias("document"),
                                           pl.lit("cost_per_GB").alias("metric"),
                                           *_USED)))  # fmt: skip
    # Over distance, the ends share the cost as on a LAN of the same bandwidth.
    lan = pl.when(pl.col("network") == "10Gb").then("network").otherwise(pl.lit("1Gb"))
    cells = cells.with_columns(
        lan.alias("network"),
        pl.col("file_size_mb").fill_null(1024),
        pl.col("source").replace({"queue": "z/OS"}),
    )
    encoded = mft_stages.encode(cells)
    parameters = dict(load(MFT_ZOS.file))

    def cost(chosen: Callable[[str], bool]) -> Floats:
        kept = {
            n: v if not n.startswith("cpu_") or chosen(n) else 0.0 for n, v in parameters.items()
        }
        return mft_stages.cost(encoded, kept)

    everything = cost(lambda _: True)
    read = cost(lambda n: "_read_" in n)
    write = cost(lambda n: "_write_" in n or "convert" in n)
    on_zos = [
        cells[side].is_in(["z/OS", "USS"]).fill_null(value=True).to_numpy()
        for side in ("source", "target")
    ]
    first, second = (read + 1e-9) * on_zos[0], (write + 1e-9) * on_zos[1]
    share = np.asarray(first / np.maximum(first + second, 1e-12))
    halves = np.maximum(on_zos[0].astype(np.float64) + on_zos[1], 1.0)
    sides = (on_zos[0] / halves, on_zos[1] / halves)
    options = {
        "MSTR": cost(lambda n: n.startswith(("cpu_queue", "cpu_no_waiting"))) / everything,
        "CHIN": cost(lambda n: n in {"cpu_tls12", "cpu_tls13", "cpu_inflate", "cpu_compress"})
        / everything,
        "AMSM": cost(lambda n: n in {"cpu_protect", "cpu_sign", "cpu_encrypt"}) / everything,
    }
    return (share, 1.0 - share), sides, options


_USED = (
    "source", "target", "network", "queue", "zhpf", "tls", "ams", "compmsg", "p2wg", "batchint",
    "mode", "file_size_mb", "channels", "machine",
)  # fmt: skip
