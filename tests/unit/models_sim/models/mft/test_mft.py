"""Transfers on z/OS.

Limits, monotonicity, known formulas, and coverage of all published figures.
"""

import numpy as np
import polars as pl
import pytest

from models_sim.base import published
from models_sim.base.cells import normalise
from models_sim.base.parameters import load
from models_sim.models.mft import stages as mft_stages
from models_sim.models.mft import wan as mft_wan
from models_sim.models.mft.families import MFT_WAN, MFT_ZOS
from models_sim.predict import predict, predict_with
from tests.kit.cases import cases

LAN = {
    "document": "000",
    "source": "z/OS",
    "target": "xLinux",
    "network": "1Gb",
    "queue": "Private",
    "mode": "binary",
    "file_size_mb": 100,
    "metric": "rate",
}
WAN = {
    "document": "000",
    "protocol": "TCP",
    "latency_km": 1000,
    "loss_pct": 0.0,
    "file_size_mb": 1024,
    "metric": "rate",
}
PATHS = [
    (source, target)
    for source in ("z/OS", "USS", "xLinux")
    for target in ("z/OS", "USS", "xLinux")
    if (source, target) != ("xLinux", "xLinux")
]


def ask(*cells: dict[str, object]) -> np.ndarray:
    return predict(pl.DataFrame(list(cells), infer_schema_length=None))["predicted"].to_numpy()


@cases
def test_p_norm_lies_between_maximum_and_sum(parts, power, whole):
    stages = [np.array([float(part)]) for part in parts]
    assert mft_stages.p_norm(power, *stages)[0] == pytest.approx(whole, rel=1e-3)


def test_file_sets_match_the_document():
    files = mft_stages.volume(np.array([1.0, 10.0, 100.0, 1024.0])) / [1, 10, 100, 1024]
    assert files == pytest.approx([1024, 200, 100, 10])


@pytest.mark.parametrize(("source", "target"), PATHS)
@pytest.mark.parametrize("mode", ["binary", "text"])
def test_larger_files_are_not_slower_and_cost_no_more(source, target, mode):
    sizes = np.unique(np.geomspace(1, 8192, 60).round()).astype(int)
    cells = [LAN | {"source": source, "target": target, "mode": mode, "file_size_mb": int(size)}
             for size in sizes]  # fmt: skip
    rows = mft_stages.encode(normalise(pl.DataFrame(cells)))
    p = load(MFT_ZOS.file)
    assert (np.diff(mft_stages.rate(rows, p)) >= -1e-9).all()
    assert (np.diff(mft_stages.cost(rows, p)) <= 1e-9).all()


def test_only_the_network_counts_if_agents_take_no_time():
    p = dict(load(MFT_ZOS.file))
    for name in p:
        if name.startswith(("file_", "mb_", "start")):
            p[name] = 0.0
    cells = normalise(pl.DataFrame([LAN]))
    assert mft_stages.rate(mft_stages.encode(cells), p)[0] == pytest.approx(p["network_1gb"])


def test_tcp_reaches_its_rate_without_delay_and_loss():
    p = load(MFT_WAN.file)
    rows = mft_wan.encode(normalise(pl.DataFrame([WAN | {"latency_km": 0}])))
    assert mft_wan.network_ms_per_mb(rows, p)[0] == pytest.approx(1e3 / p["tcp_rate"])


def test_a_long_fat_network_without_loss_is_limited_by_the_window():
    p = load(MFT_WAN.file)
    rows = mft_wan.encode(normalise(pl.DataFrame([WAN | {"latency_km": 40000}])))
    trip = 2 * 40000 / 200
    expected = trip / p["tcp_window"] + trip / p["batch_limit"]
    assert mft_wan.network_ms_per_mb(rows, p)[0] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("family", [MFT_ZOS, MFT_WAN])
def test_published_figures_are_near_their_predictions(family):
    cells = published.cells()
    mine = cells.filter(family.covers(cells))
    answer = predict_with(family, mine, load(family.file))
    error = np.abs(np.log(answer.value / mine["value"].to_numpy()))
    assert mine.height > 50
    assert np.median(error) < 0.03
    assert np.quantile(error, 0.9) < 0.12
