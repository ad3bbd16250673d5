"""Machines as systems: the records of each carry its own figures, and a site states others."""

from dataclasses import replace

import polars as pl
import pytest

from ingest.formats.binary.write import frame_records
from models_sim.base.machines import capacity, generation, machine, machines
from models_sim.base.parameters import ParameterError
from models_sim.base.published import ROOT
from models_sim.predict import predict
from models_sim.simulator.campaigns.site import site_of
from models_sim.simulator.zos.profile import PLEX1
from models_sim.simulator.zos.write import records_of, truth
from perfhouse import decode

COST = {"document": "000", "metric": "cost_per_GB", "source": "z/OS", "target": "z/OS",
        "network": "10Gb", "file_size_mb": 100}  # fmt: skip
OWN = """["z17"]
capacity = { value = 1.25, unit = "CP of a z15", source = "ours" }
["3931-706"]
msu_per_cp = { value = 200, unit = "MSU", source = "our contract" }
"""


def test_each_figure_has_a_value_unit_and_source():
    assert list(machines()) == ["z13", "z14", "z15", "z16"]
    for figures in machines().values():
        assert {"machine_type", "capacity", "clock", "cf_level", "crypto_express"} <= set(figures)
        assert all(figures.describe(name).source for name in figures)
    seed = pl.read_csv(ROOT / "dbt" / "seeds" / "hardware" / "hardware_machine.csv")
    types = dict(seed.select("machine_type", "generation").iter_rows())
    assert {types[round(p["machine_type"])]: p for p in machines().values()} == machines()


@pytest.mark.parametrize("name", list(machines()))
def test_records_of_each_machine_carry_its_figures(name):
    figures = {figure: round(value) for figure, value in machines()[name].items()}
    dumps = records_of(replace(PLEX1, generation=name), truth(1), 1)
    tables = decode(b"".join(frame_records(dumps["SY1"])))
    expected = {
        ("smf74_4_cf_local", "r744flvl"): figures["cf_level"],
        ("smf70_2_crypto_cca_coprocessor", "r7023ct"): figures["crypto_express"] + 6,
        ("smf113_1_data", "smf113_1_cpuspeed"): figures["clock"],
        ("smf70_1_cpu_control", "smf70cpc_type"): str(figures["machine_type"]),
    }
    assert {at: set(tables[at[0]][at[1]]) for at in expected} == {
        at: {value} for at, value in expected.items()
    }
    unit = round(301 / machines()[name]["capacity"])  # of the service units of CPs
    assert {system.adjustment for system in site_of(name).systems} == {unit}


def test_costs_are_scaled_by_capacity_and_a_machine_without_figures_is_refused(
    tmp_path, monkeypatch
):
    def costs(*names):
        return predict(pl.DataFrame([COST | {"machine": name} for name in names]))

    z15, z14, z16, model, none = costs("z15", "z14", "z16", "3931-7K0", "z17").iter_rows(named=True)
    assert z14["predicted"] * capacity("z14")[0] == pytest.approx(z15["predicted"])
    assert z16["predicted"] == model["predicted"] == pytest.approx(z15["predicted"] / 1.11)
    assert z14["caution"].startswith("scaled")
    assert "machine z17" in none["reason"]
    (tmp_path / "machines.toml").write_text(OWN)
    monkeypatch.setenv("PERFHOUSE_MACHINES", str(tmp_path / "machines.toml"))
    assert costs("z17")["predicted"].item() == pytest.approx(z15["predicted"] / 1.25)
    assert (generation("3931-706"), machine("3931-706")["msu_per_cp"]) == ("z16", 200)
    assert machine("3931-706")["cf_level"] == 25
    (tmp_path / "machines.toml").write_text("[z17]\ncapacity = 2\n")
    with pytest.raises(ParameterError, match=r"machines\.toml"):
        capacity("z17")
