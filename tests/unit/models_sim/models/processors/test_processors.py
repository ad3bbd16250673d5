"""Processors: few figures and weak priors."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from models_sim.base import published
from models_sim.base.parameters import load
from models_sim.models.processors import family as z16
from models_sim.models.processors import linear
from models_sim.models.processors.family import PROCESSORS
from models_sim.models.processors.linear import Weight
from models_sim.predict import predict, predict_with

CELLS = published.cells()
P = load(PROCESSORS.file)


def asked(metric: str, **columns: object) -> pl.DataFrame:
    return predict(pl.DataFrame({"document": "004", "metric": metric, **columns}))


def test_every_covered_figure_is_near_its_prediction() -> None:
    cells = CELLS.filter(PROCESSORS.covers(CELLS))
    assert cells.height == 9 + 7 + 8 + 6 + 9 + 9 + 4
    answer = predict_with(PROCESSORS, cells, P)
    error = np.abs(answer.value / cells["value"].to_numpy() - 1)
    assert np.quantile(error, 0.9) < 0.08
    low, high = answer.band()
    measured = cells["value"].to_numpy()
    assert ((low <= measured) & (measured <= high)).mean() > 0.9


def test_a_structure_holds_fewer_large_messages() -> None:
    sizes = np.array([1.0, 500, 1164, 2048, 4096, 8192, 16384, 65536, 1e9])
    held = z16.capacity(sizes, P)
    assert held[0] == held[2]
    assert (np.diff(held[2:]) < 0).all()
    assert held[-1] < 5
    between = asked("messages_in_4GB_structure", message_size="8192")["predicted"][0]
    assert 175_000 < between < 650_000


@pytest.mark.parametrize(
    ("metric", "cipher", "low", "high"),
    [("secret_key_negotiation_cost", "ECDHE_RSA_AES_256_CBC_SHA384", 0.43, 4.37),
     ("start_cost", "ECDHE_ECDSA_AES_256_CBC_SHA384", 1.97, 6.0),
     ("channels_started", "ECDHE_ECDSA_AES_256_CBC_SHA384", 50, 150)],
)  # fmt: skip
def test_tls_figures_are_in_order(metric: str, cipher: str, low: float, high: float) -> None:
    got = asked(metric, cipher=cipher, machine="z16")
    assert low < got["predicted"][0] < high
    assert got["low"][0] < got["predicted"][0] < got["high"][0]


def test_older_machines_cost_more() -> None:
    cipher = "TLS_RSA_WITH_AES_256_CBC_SHA256"
    for metric in ("secret_key_negotiation_cost", "start_cost"):
        old, new = asked(metric, cipher=cipher, machine=["z15", "z16"])["predicted"]
        assert old > new
    old, new = asked("start_cost", cipher=cipher, machine=["z15", "z16"])["predicted"]
    assert 1 - new / old == pytest.approx(0.13, abs=0.02)  # claim 199


def test_improvement_rises_with_nest_intensity() -> None:
    for cpus in (3, 10, 32):
        got = asked("expected_improvement", cpus=cpus, rni=["low", "average", "high"])
        assert got["predicted"].is_sorted()
        assert got["predicted"].is_between(8, 15).all()


def test_throughput_gains_rise_with_message_size() -> None:
    for policy in z16.POLICIES:
        sizes = ["Small", "Medium", "Large"]
        got = asked("change_throughput", ams=policy, message_size=sizes, machine="z16")
        assert got["predicted"].is_sorted()
    bands = asked("change_transaction_cost", ams="Privacy", message_size="Small")
    assert bands["low"][0] < bands["predicted"][0] < 0


def test_tls_1_3_negotiation_is_not_predicted() -> None:
    got = asked("secret_key_negotiation_cost", cipher="TLS_AES_128_GCM_SHA256", machine="z16")
    assert got["predicted"].null_count() == 1
    assert got["reason"][0] == "cannot be modelled with: cipher TLS_AES_128_GCM_SHA256"


def test_posterior_lies_between_prior_and_figures() -> None:
    weights = (Weight("level", 0.0, 1.0),)
    ones = np.ones((4, 1))
    got = linear.posterior(ones, np.full(4, 10.0), 2.0, weights)
    assert got[0] == pytest.approx(5.0)  # precision 1 at 0 against 4 / 2^2 at 10
    vague = linear.posterior(ones, np.full(4, 10.0), 2.0, (Weight("level", 0.0, 1e6),))
    assert vague[0] == pytest.approx(10.0)
