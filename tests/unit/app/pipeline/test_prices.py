"""The file of a site's own prices: periods, machines, and mistakes."""

from datetime import date

import duckdb
import pytest

from app.pipeline.prices import prices_file, read_prices, unmatched_machines, write_prices
from ingest.base.errors import SettingsError
from tests.kit.cases import cases

JANUARY, MAY, JULY = date(2026, 1, 1), date(2026, 5, 1), date(2026, 7, 1)


def written(folder, text):
    file = folder / "prices.toml"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        # One price: what has none costs nothing, but for network, which is not known.
        ("from = 2026-01-01\nmsu_hour = 2", [(JANUARY, None, "", 2, 0, None)]),
        ("from = 2026-01-01\nnetwork_gb = 2", [(JANUARY, None, "", None, None, 2)]),
        # A machine without a price of its own has none.
        (
            "from = 2026-01-01\ncp_second = { z15 = 0.5 }",
            [(JANUARY, None, "", 0, None, None), (JANUARY, None, "z15", 0, 0.5, None)],
        ),
        # A price holds until there is another one of its kind; entries come in any order.
        (
            """from = 2026-05-01\nmsu_hour = 3\n[[price]]\nfrom = 2026-01-01\nmsu_hour = 2
            network_gb = 1\n[[price]]\nfrom = 2026-07-01\ncp_second = { z15 = 4 }""",
            [
                (JANUARY, MAY, "", 2, 0, 1), (JANUARY, MAY, "z15", 2, 0, 1),
                (MAY, JULY, "", 3, 0, 1), (MAY, JULY, "z15", 3, 0, 1),
                (JULY, None, "", 3, None, 1), (JULY, None, "z15", 3, 4, 1),
            ],
        ),
    ],
)  # fmt: skip
def test_a_price_is_valid_until_the_next(tmp_path, entries, expected):
    file = written(tmp_path, f'currency = "EUR"\n[[price]]\n{entries}\n')
    assert [price[1:] for price in read_prices(file)] == expected
    with duckdb.connect() as db:
        write_prices(db, read_prices(file))
        write_prices(db, read_prices(file))
        assert db.sql("SELECT count(*) FROM meta.price WHERE currency = 'EUR'").fetchall() == [
            (len(expected),)
        ]


@cases
def test_a_mistake_is_named(tmp_path, text, found):
    with pytest.raises(SettingsError, match=r"prices\.toml: ") as error:
        read_prices(written(tmp_path, text))
    assert found in str(error.value)
    assert "\n" not in str(error.value)


def test_the_file_is_the_one_that_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("PERFHOUSE_PRICES", raising=False)
    assert prices_file() is None
    monkeypatch.setenv("PERFHOUSE_PRICES", str(tmp_path / "none.toml"))
    with pytest.raises(SettingsError, match="no such file"):
        prices_file()
    file = written(tmp_path, "")
    monkeypatch.setenv("PERFHOUSE_PRICES", str(file))
    assert prices_file() == file


@pytest.mark.parametrize(
    ("machines", "expected"),
    [
        ("z15 = 1, z16 = 2", []),
        ("z15 = 1", ["z16 has no cp_second: its CPU time has no cost"]),
        ("z15 = 1, z16 = 2, Z16 = 3",
         ["cp_second of Z16: no such machine is loaded; the data have z15, z16"]),
        ("", []),
    ],
)  # fmt: skip
def test_machines_without_a_price_and_prices_without_a_machine_are_said(
    tmp_path, machines, expected
):
    entry = f"cp_second = {{ {machines} }}" if machines else "msu_hour = 1"
    file = written(tmp_path, f'currency = "EUR"\n[[price]]\nfrom = 2026-01-01\n{entry}\n')
    with duckdb.connect() as db:
        db.execute("CREATE SCHEMA marts")
        db.execute(
            "CREATE TABLE marts.fct_system_hour AS FROM (VALUES ('z15', '8561'), ('z16', '3931'), "
            "(NULL, NULL)) AS t(machine, machine_type)"
        )
        assert unmatched_machines(db, read_prices(file)) == expected
