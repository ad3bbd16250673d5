"""Which way data go: lanes from rows of logs, records and manifests, and their drawing."""

from typing import Any

import pytest
import vl_convert

from app.charts.topology import paths
from app.reports.paths import Lane, in_words, lanes

COLUMNS = (
    "source", "target", "target_storage", "queue", "network", "protocol", "connection",
    "source_agent", "target_agent", "source_manager", "target_manager", "source_system",
    "target_system", "source_volume", "target_volume", "busy_managers", "busy_systems", "channels",
    "coordination_manager",
)  # fmt: skip
GATEWAY = ("fasp.io", "gateway")


def row(**known: object) -> dict[str, Any]:
    return dict.fromkeys(COLUMNS) | known


INBOUND = row(
    source="xLinux", target="z/OS", network="1Gb", source_agent="A1", source_manager="X1",
    target_agent="A3", target_manager="Q3", target_system="MVS3", target_volume="VOL3", channels=1,
)  # fmt: skip
START = ("xLinux", "Agent A1", "Queue manager X1", "Files")
END = ("MVS3", "Agent A3", "Queue manager Q3", "Data sets on VOL3")
FAR = row(source_manager="Q1", target_manager="Q3", source_system="MVS1", target_system="MVS3")
CLIENTS = row(connection="direct", busy_managers="Q1", busy_systems="MVS1")


@pytest.mark.parametrize(
    ("rows", "driver", "expected"),
    [
        ([INBOUND], "", [((START, END), (("1Gb", "1 channel"),))]),
        (
            [INBOUND, INBOUND | {"network": "10Gb", "channels": 4}],
            "",
            [((START, END), (("1Gb or 10Gb", "1 to 4 channels"),))],
        ),
        (
            [INBOUND, INBOUND | {"queue": "Shared - SMDS"}],
            "",
            [
                ((START, END), (("1Gb", "1 channel"),)),
                ((START, ("Shared queues,", "SMDS"), END), (("1Gb", "1 channel"), ())),
            ],
        ),
        (
            [INBOUND | {"protocol": "FASP", "channels": None}],
            "",
            [((START, GATEWAY, GATEWAY, END), ((), ("1Gb", "fasp.io"), ()))],
        ),
        (
            [row(source="queue", target="Linux", connection="client", source_manager="X1")],
            "",
            [((("z/OS", "A queue"), ("Queue manager", "X1"), ("Linux", "Files")), ((), ()))],
        ),
        (
            [FAR | {"protocol": "TCP"}],
            "",
            [((("MVS1", "Queue manager Q1"), ("MVS3", "Queue manager Q3")), (("TCP/IP",),))],
        ),
        (
            [CLIENTS, CLIENTS | {"connection": "zCX"}],
            "Clients",
            [
                ((("Clients",), ("MVS1", "Queue manager Q1")), ((),)),
                (
                    (("Clients",), ("Queue manager", "in a z/OS container"),
                     ("MVS1", "Queue manager Q1")),
                    ((), ()),
                ),
            ],
        ),
        (
            [FAR | {"channels": 2}],
            "Tasks",
            [((("Tasks",), ("MVS1", "Queue manager Q1"), ("MVS3", "Queue manager Q3")),
              ((), ("2 channels",)))],
        ),
        (
            [row(busy_managers="Q1, Q3", busy_systems="MVS1, MVS3", queue="Shared")],
            "Tasks",
            [((("Tasks",), ("MVS1, MVS3", "Queue managers Q1, Q3"), ("Shared queues",)), ((), ()))],
        ),
        (
            [CLIENTS | {"connection": "concentrator on Linux"}],
            "Clients",
            [((("Clients",), ("Concentrator", "on Linux"), ("MVS1", "Queue manager Q1")),
              ((), ()))],
        ),
        (
            [INBOUND | {"target": "Linux", "target_storage": kind, "target_volume": None}
             for kind in ("HDD", "SAN")],
            "",
            [((START, ("MVS3", "Agent A3", "Queue manager Q3", "HDD or SAN")),
              (("1Gb", "1 channel"),))],
        ),
        (
            [INBOUND | {"coordination_manager": "X3"}],
            "",
            [((START, END), (("1Gb", "1 channel"),),
              (("Coordination", "Queue manager X3"), (0, 1)))],
        ),
        (
            [INBOUND | {"coordination_manager": "Q3"}],  # an end, which has a box
            "",
            [((START, END), (("1Gb", "1 channel"),))],
        ),
        ([row()], "Clients", []),
    ],
)  # fmt: skip
def test_a_path_has_a_box_for_all_that_the_data_pass(
    rows: list[dict[str, Any]], driver: str, expected: list[tuple[Any, ...]]
) -> None:
    assert lanes(rows, driver) == [Lane(*lane) for lane in expected]


def test_a_path_is_said_in_words() -> None:
    found = lanes([INBOUND | {"protocol": "FASP"}])
    assert in_words(found) == (
        "xLinux, Agent A1, Queue manager X1, Files to fasp.io gateway to fasp.io gateway (1Gb, "
        "fasp.io, 1 channel) to MVS3, Agent A3, Queue manager Q3, Data sets on VOL3."
    )
    assert in_words([]) == ""
    (coordinated,) = lanes([INBOUND | {"coordination_manager": "X3"}])
    assert in_words([coordinated]).endswith(
        "VOL3 (1Gb, 1 channel); beside it coordination, Queue manager X3."
    )


def test_a_drawing_of_paths_fits_its_width_and_has_all_texts() -> None:
    shared = INBOUND | {"queue": "Shared - SMDS", "coordination_manager": "X3"}
    found = lanes([INBOUND, shared, INBOUND | {"protocol": "FASP"}])
    spec = paths(found, width=640)
    boxes = spec["layer"][0]["data"]["values"]
    assert all(0 <= box["x"] < box["x2"] <= 640 for box in boxes)
    picture = vl_convert.vegalite_to_svg(spec)
    assert all(
        line in picture for lane in found for box in (*lane.boxes, lane.below[0]) for line in box
    )
