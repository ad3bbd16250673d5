"""What befalls the link `raw` of a lake when programs copy it."""

from __future__ import annotations

import shutil

from ingest.lake.warehouse import Warehouse

__all__ = ["dangle", "follow", "follow_alone", "lead_elsewhere", "leave_empty", "lose"]


def lose(warehouse: Warehouse) -> None:
    warehouse.raw.unlink()


def follow(warehouse: Warehouse) -> None:
    """Copy the lake as a program does that follows links."""
    content = warehouse.raw.resolve()
    warehouse.raw.unlink()
    shutil.copytree(content, warehouse.raw)


def follow_alone(warehouse: Warehouse) -> None:
    follow(warehouse)
    shutil.rmtree(warehouse.lake / "generations")


def dangle(warehouse: Warehouse) -> None:
    warehouse.raw.unlink()
    warehouse.raw.symlink_to("generations/000099")


def write_target(warehouse: Warehouse) -> None:
    """Copy the lake as an archive does that keeps a link as a file with its target."""
    target = warehouse.raw.readlink()
    warehouse.raw.unlink()
    warehouse.raw.write_text(str(target))


def leave_empty(warehouse: Warehouse) -> None:
    warehouse.raw.unlink()
    (warehouse.raw / "_schema").mkdir(parents=True)


def lead_elsewhere(warehouse: Warehouse) -> None:
    """Copy the lake as a program does that makes links absolute."""
    other = warehouse.file.parent / "other.lake"
    shutil.copytree(warehouse.lake, other, symlinks=True)
    warehouse.raw.unlink()
    warehouse.raw.symlink_to((other / "raw").resolve())
