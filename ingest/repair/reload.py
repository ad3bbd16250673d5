"""Loads that are decoded once more, from the files that they were made of."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from ingest.base.errors import SourceError
from ingest.base.files import refusal_of
from ingest.lake.alone import StepError
from ingest.lake.seal import HowLoaded
from ingest.lake.warehouse import Warehouse
from ingest.load import FULL, decode_file
from ingest.loading import count_file, failed_load
from ingest.repair.missing import digest_on_disk, source_of
from ingest.writer import Load

__all__ = ["decode_again"]

_AT_ONCE = 64  # loads that are replaced at a time


def decode_again(
    warehouse: Warehouse, loads: Sequence[HowLoaded], progress: Callable[[Path], None] | None
) -> list[Load]:
    """Decode the files of loads again, and replace their rows, some loads at a time.

    A load whose file is missing or has changed stays as it was; its result is `failed`.
    Raises StepError if the disk is full.
    """
    results = []
    for at in range(0, len(loads), _AT_ONCE):
        with warehouse.draft() as draft:
            replaced = set()
            for load in loads[at : at + _AT_ONCE]:
                file = source_of(warehouse, load)
                if progress:
                    progress(file)
                results.append(_decode_again(warehouse, load, file, draft))
                count_file(warehouse, results[-1])
                if results[-1].status != "failed":
                    replaced.add(load.source_id)
            if replaced:
                warehouse.store.replace(replaced, draft)
    return results


def _decode_again(warehouse: Warehouse, load: HowLoaded, file: Path, draft: Path) -> Load:
    """Decode the file of a load into a folder in `draft`."""
    folder = draft / load.source_id
    folder.mkdir()
    try:
        again = decode_file(
            file,
            folder,
            load.origin,
            code_page=load.code_page,
            ams_type=load.ams_type,
            about=load.about,
        )
        if load.source_id != again.source_id and load.source_id != digest_on_disk(file):
            raise SourceError("the file is not the one that was loaded")
        again_folder = draft / again.source_id
        if again_folder != folder and (
            again_folder.exists() or warehouse.store.holds(again.source_id)
        ):
            shutil.rmtree(folder)  # the whole content has its own load
        else:
            folder.rename(again_folder)
    except (OSError, SourceError) as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise StepError(refusal_of(error)) from error
        shutil.rmtree(folder, ignore_errors=True)
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return failed_load(file, reason or str(error))
    return again
