"""Tables of figures in reports: how configurations are named, grouped and laid out."""

import pytest

from app.reports.labelled import alike, beside, by_metric, comparable, named, sizes_of, suiting
from app.reports.labelled import numbered as by_number
from expectations.metrics import dictionary


def test_files_of_several_sizes_are_columns_with_the_published_below() -> None:
    rows = [
        {"name": "binary", "metric": m, "unit": u, "file_size_mb": size, "value": v, "published": p}
        for m, u, size, v, p in [
            ("cost_per_GB", "CPU s/GB", 10, 9.5, None),
            ("rate", "MB/s", 1024, 98.0, 98.4),
            ("rate", "MB/s", 10, 71.0, None),
        ]
    ]
    table = sizes_of(rows)
    assert list(table.columns.values()) == ["Configuration", "10 MB", "1 GB", "10 MB"]
    assert list(table.groups.values()) == ["Transfer rate, MB/s"] * 2 + ["Cost per GB, CPU s/GB"]
    assert [list(row.values()) for row in table.rows] == [
        ["binary", 71.0, 98.0, 9.5], ["binary, published", None, 98.4, None],
    ]  # fmt: skip


@pytest.mark.parametrize("power", range(-4, 10))
def test_figures_of_every_size_keep_their_value_beside_changes_in_percent(power: int) -> None:
    """In every unit of a metric, with bounds of the change that are small or negative."""
    for unit in {metric.unit for metric in dictionary().values()} | {"MB/s", "KB", "B/s", "ms"}:
        given = {"unit": unit, "baseline": 9 * 10.0**power, "candidate": 10.0**power,
                 "change": -0.9, "low": -0.04, "high": None}  # fmt: skip
        shown = suiting(given, ("baseline", "candidate"))
        factor = _FACTORS.get(shown["unit"], 1) / _FACTORS.get(unit, 1)
        assert shown["unit"] == unit or {shown["unit"], unit} < _FACTORS.keys()
        assert shown["baseline"] * factor == pytest.approx(given["baseline"])
        assert shown["candidate"] * factor == pytest.approx(given["candidate"])
        assert [shown[name] for name in ("change", "low", "high")] == [-0.9, -0.04, None]
        (beside,) = alike([given | {"metric": "m"}], ("baseline", "candidate"))
        assert beside["unit"] == shown["unit"]


# Of a unit in a smaller one.
_FACTORS = {
    **{f"{of}{unit}": 1000.0**n for n, unit in enumerate(("us", "ms", "s")) for of in ("", "CPU ")},
    **{f"{unit}{per}": 1024.0**n for n, unit in enumerate(("B", "KB", "MB", "GB", "TB"))
       for per in ("", "/s")},
}  # fmt: skip


def row(configuration: str, **values: object) -> dict[str, object]:
    return {"configuration": configuration, "metric": "rate", "unit": "MB/s", "runs": 1} | values


@pytest.mark.parametrize(
    ("labels", "options", "names"),
    [
        (["z/OS > z/OS, 100 MB, binary", "z/OS > z/OS, 100 MB, TLS 1.3, binary"],
         {"plain": "no TLS"}, ["no TLS", "TLS 1.3"]),
        (["z/OS > z/OS, 1 MB, binary"], {"alone": "binary"}, ["binary"]),
        (["1048576 B, queue_managers 2", "2048 B, queue_managers 2"], {},
         ["1 MB messages", "2 KB messages"]),
        (["direct, 3 CPUs, clients 8000, no put to waiting getter",
          "zCX, 3 CPUs, clients 8000, no put to waiting getter",
          "zCX, 5 CPUs, clients 12000"], {"brief": True, "keep": ("zCX",)},
         ["direct, 3 CPUs, 8,000 clients, no put to waiting getter",
          "zCX, 3 CPUs, 8,000 clients, no put to waiting getter", "zCX, 5 CPUs, 12,000 clients"]),
        ([f"{protocol}, {n} ms one way, 1048576 B, put to waiting getter, path N{n}"
          for protocol, n in (("FASP", 0), ("TCP", 0), ("TCP", 5))], {"brief": True},
         ["FASP, 0 ms one way, path N0", "TCP, 0 ms one way, path N0",
          "TCP, 5 ms one way, path N5"]),
    ],
)  # fmt: skip
def test_names_say_what_tells_configurations_apart(
    labels: list[str], options: dict[str, object], names: list[str]
) -> None:
    found = named(map(row, labels), **options)  # type: ignore[arg-type]
    assert [one["name"] for one in found] == names


def test_only_configurations_with_several_levels_of_a_factor_are_comparable() -> None:
    rows = [
        row("a", source="z/OS", tls="N", file_size_mb=1),
        row("b", source="z/OS", tls="TLS 1.3", file_size_mb=10),
        row("c", source="USS", tls="N", file_size_mb=1),
        row("d", source="USS", tls=None, file_size_mb=1),
    ]
    assert [one["configuration"] for one in comparable(rows, "tls")] == ["a", "b"]


@pytest.mark.parametrize(
    ("sizes", "columns"),
    [
        ({"text": [1, 10], "binary": [1, 10]}, ["Configuration", "1 MB", "10 MB"]),
        ({"text": [1], "binary": [10], "TLS": [100]},
         ["Configuration", "Runs", "Transfer rate, MB/s"]),
    ],
)  # fmt: skip
def test_every_median_has_a_column_by_size_only_if_most_sizes_were_run(
    sizes: dict[str, list[int]], columns: list[str]
) -> None:
    rows = [
        row(f"{name}, {size} MB", file_size_mb=size, value=1.5, published=None)
        for name, run in sizes.items()
        for size in run
    ]
    (table,) = by_metric(rows)
    assert list(table.columns.values()) == columns


def test_a_factor_of_several_numbers_is_an_axis() -> None:
    def of(*configurations: str) -> list[tuple[float, str, str]]:
        rows = by_number([{"configuration": one} for one in configurations])
        return [(row["number"], row["of"], row["name"]) for row in rows]

    assert of("clients 8, path a", "clients 64, path a", "clients 8, path b") == [
        (8, "clients", "path a"), (64, "clients", "path a"), (8, "clients", "path b"),
    ]  # fmt: skip
    assert of("clients 8", "clients 64") == [
        (8, "clients", "all runs"),
        (64, "clients", "all runs"),
    ]
    assert of("clients 8, threads 1", "clients 64, threads 2") == []  # which of them?
    assert of("clients 8, path a", "path b") == []


def test_a_range_of_equal_runs_is_one_figure() -> None:
    def table(*ends: tuple[float, float]) -> list[object]:
        rows = [
            {"name": f"c{n}", "metric": "rate", "unit": "MB/s", "value": high, "low": low,
             "high": high, "runs": 3, "published": None}
            for n, (low, high) in enumerate(ends)
        ]  # fmt: skip
        found = beside(rows)
        return [row["rate range"] for row in found.rows if "rate range" in found.columns]

    assert table((5.0, 5.0), (4.0, 6.0)) == ["5", "4 to 6"]
    assert table((5.0, 5.0), (6.0, 6.0)) == []  # it would repeat the median
