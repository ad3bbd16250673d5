"""What the simulator did in the bundled inputs, as tables: what marts must show of them."""

from functools import cache

import polars as pl

from app.pipeline.bundled import CAMPAIGNS, SAMPLES_SEED
from models_sim.simulator import campaigns
from models_sim.simulator.zos.profile import SYSTEMS
from models_sim.simulator.zos.write import truth


@cache
def done() -> dict[str, pl.DataFrame]:
    """Return frames of the synthetic sysplex (see zos.simulate) by name, and figures of runs.

    `done_interval` begins when records say so: RMF's interval starts in whole seconds. `kept_NAME`
    is without the interval whose records are marked as skipped.
    """
    frames = {f"done_{name}": frame for name, frame in truth(SAMPLES_SEED).items()}
    frames["done_interval"] = frames["done_interval"].with_columns(
        pl.col("start").dt.truncate("1s")
    )
    kinds = [f"{kind}_us" for kind in ("tcb", "srb", "initiator_tcb", "io_interrupt",
                                       "region_control", "hiperspace")]  # fmt: skip
    for name in ("done_address_space", "done_class_period"):
        frames[name] = frames[name].with_columns(cpu=pl.sum_horizontal(kinds) / 1e6)
    frames["done_system"] = pl.DataFrame(
        [(one.name, one.capture, one.ziip_capture) for one in SYSTEMS],
        schema=["system", "capture", "ziip_capture"], orient="row",
    )  # fmt: skip
    skipped = frames["done_interval"].filter("skipped").select("system", "interval")
    assert skipped.height == 1
    frames |= {
        name.replace("done", "kept"): frame.join(skipped, on=["system", "interval"], how="anti")
        for name, frame in frames.items()
        if {"system", "interval"} <= set(frame.columns)
    }
    of_runs = [campaigns.truth(name, SAMPLES_SEED).with_columns(campaign=pl.lit(name))
               for name in CAMPAIGNS]  # fmt: skip
    return frames | {"done_run": pl.concat(of_runs)}
