"""Which way data go: lanes from rows of logs, records and manifests, and their drawing."""

from typing import Any

import vl_convert
from syrupy.assertion import SnapshotAssertion

from app.charts.topology import paths
from app.reports.paths import in_words, lanes

COLUMNS = (
    "source", "target", "target_storage", "queue", "network", "protocol", "connection",
    "source_agent", "target_agent", "source_manager", "target_manager", "source_system",
    "target_system", "source_volume", "target_volume", "busy_managers", "busy_systems", "channels",
    "coordination_manager",
)  # fmt: skip


def row(**known: object) -> dict[str, Any]:
    return dict.fromkeys(COLUMNS) | known


INBOUND = row(
    source="xLinux", target="z/OS", network="1Gb", source_agent="A1", source_manager="X1",
    target_agent="A3", target_manager="Q3", target_system="MVS3", target_volume="VOL3", channels=1,
)  # fmt: skip
FAR = row(source_manager="Q1", target_manager="Q3", source_system="MVS1", target_system="MVS3")
CLIENTS = row(connection="direct", busy_managers="Q1", busy_systems="MVS1")


#: By name: what is known of runs, and what drives them.
PATHS = {
    "a transfer": ([INBOUND], ""),
    "two networks": ([INBOUND, INBOUND | {"network": "10Gb", "channels": 4}], ""),
    "with and without shared queues": ([INBOUND, INBOUND | {"queue": "Shared - SMDS"}], ""),
    "gateways": ([INBOUND | {"protocol": "FASP", "channels": None}], ""),
    "a client": (
        [row(source="queue", target="Linux", connection="client", source_manager="X1")], ""
    ),
    "TCP/IP": ([FAR | {"protocol": "TCP"}], ""),
    "clients": ([CLIENTS, CLIENTS | {"connection": "zCX"}], "Clients"),
    "tasks": ([FAR | {"channels": 2}], "Tasks"),
    "shared queues": (
        [row(busy_managers="Q1, Q3", busy_systems="MVS1, MVS3", queue="Shared")], "Tasks"
    ),
    "a concentrator": ([CLIENTS | {"connection": "concentrator on Linux"}], "Clients"),
    "two kinds of storage": (
        [INBOUND | {"target": "Linux", "target_storage": kind, "target_volume": None}
         for kind in ("HDD", "SAN")], "",
    ),
    "coordination": ([INBOUND | {"coordination_manager": "X3"}], ""),
    "coordination at an end, which has a box": ([INBOUND | {"coordination_manager": "Q3"}], ""),
    "nothing": ([row()], "Clients"),
}  # fmt: skip


def test_a_path_has_a_box_for_all_that_the_data_pass(snapshot: SnapshotAssertion) -> None:
    """Boxes of each lane, what is written between them, and what stands below."""
    found = {name: [tuple(lane) for lane in lanes(*given)] for name, given in PATHS.items()}
    assert found == snapshot


def test_a_path_is_said_in_words(snapshot: SnapshotAssertion) -> None:
    known = ({"protocol": "FASP"}, {"coordination_manager": "X3"})
    assert [in_words(lanes([INBOUND | more])) for more in known] == snapshot
    assert in_words([]) == ""


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
