"""RMF's Direct Access Device Activity report.

Device rates have three decimals; device times (ms) have as many as fit into four characters;
connect and utilisation percentages have two, others one.
"""

from __future__ import annotations

from models_sim.simulator.outputs.rmf.page import (
    Row,
    Tables,
    figure,
    first_fit,
    line,
    page,
    reports,
)

__all__ = ["write_dasd"]

_HEADING = (
    f"{'':49}DEVICE   AVG  AVG   AVG  AVG  AVG   AVG  AVG  AVG    %      %     %     AVG    %",
    (
        "STORAGE   DEV  DEVICE   NUMBER  VOLUME PAV  LCU  ACTIVITY RESP IOSQ  CMR  DB   INT"
        "   PEND DISC CONN   DEV    DEV   DEV   NMBR   ANY"
    ),
    (
        " GROUP    NUM  TYPE     OF CYL  SERIAL           RATE     TIME TIME  DLY  DLY  DLY"
        "   TIME TIME TIME   CONN   UTIL  RESV  ALLOC  ALLOC"
    ),
)
#: Columns with the ends of their cells: times, and figures with decimals.
_TIMES = {"resp_time": 62, "iosq_time": 67, "cmr_dly": 73, "db_dly": 78, "int_dly": 83,
          "pend_time": 89, "disc_time": 94, "conn_time": 99}  # fmt: skip
_FIGURES = {"dev_conn_pct": (106, 2), "dev_util_pct": (113, 2), "dev_resv_pct": (119, 1),
            "avg_nmbr_alloc": (126, 1), "any_alloc_pct": (133, 1)}  # fmt: skip


def write_dasd(tables: Tables) -> list[str]:
    """Return the reports of rmf_dasd."""
    printed: list[str] = []
    for heading, rows in reports(tables, ["rmf_dasd"]):
        printed += page("DIRECT ACCESS DEVICE ACTIVITY", heading)
        printed += [*_HEADING, *map(_device, rows["rmf_dasd"])]
    return printed


def _device(row: Row) -> str:
    group = row["storage_group"] or ""
    return line(
        (len(group), group), (14, row["dev_num"]), (20, row["device_type"]),
        (30, figure(row["number_of_cyl"], 0)), (38, row["volume_serial"]), (42, row["pav"]),
        (47, row["lcu"]), (56, figure(row["device_activity_rate"], 3)),
        *((end, _time(row[f"avg_{name}_ms"])) for name, end in _TIMES.items()),
        *((end, figure(row[name], decimals)) for name, (end, decimals) in _FIGURES.items()),
    )  # fmt: skip


def _time(value: float) -> str:
    """Return milliseconds in four characters, without a zero before the decimal point."""
    return first_fit(4, *(f"{value:.{n}f}".removeprefix("0") for n in (3, 2, 1)), f"{value:.0f}")
