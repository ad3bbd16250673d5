"""Generations of the folder raw: which one a lake shows, and the step to the next.

    LAKE/raw -> generations/000007            the current generation, a relative link
    LAKE/generations/000006                   the one before it, for readers that still use it
    LAKE/generations/.000008                  one that is being made
    LAKE/generations/<n>/_schema/replaces     the number of the one before

A generation gets its number once it is complete, and `raw` points at it in the next step. So the
newest number is the current generation even if the link is lost, as in a copy that leaves links
out. A change removes the generation before the one that it replaces, and no other.
"""

from __future__ import annotations

import logging
import os
import shlex
import shutil
from collections.abc import Container, Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.base.errors import WarehouseError
from ingest.base.waiting import locked

__all__ = ["SCHEMA_FOLDER", "Generations"]

SCHEMA_FOLDER = "_schema"
_BEFORE = "replaces"  # in the schema folder: the number of the generation before
_PATIENCE = 600.0  # seconds to wait for raw.lock

log = logging.getLogger(__name__)


class Generations:
    """The generations of raw/ in a lake."""

    def __init__(self, lake: Path) -> None:
        self.raw = lake / "raw"
        self.folder = lake / "generations"
        self._lake = lake

    @property
    def current(self) -> Path:
        """The folder that raw points at."""
        return self.raw.resolve()

    def numbered(self) -> list[Path]:
        """Return the complete generations, the oldest first."""
        entries = self.folder.iterdir() if self.folder.is_dir() else ()
        return sorted(entry for entry in entries if entry.name.isdecimal())

    def create(self) -> None:
        """Make the first generation, if there is none."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self.raw.exists():
            with self.lock(exclusive=True):
                if not self.raw.exists():
                    first = self.folder / "000001"
                    first.mkdir()
                    self.point_at(first)

    @contextmanager
    def lock(self, *, exclusive: bool = False) -> Iterator[None]:
        """Lock raw/: shared to add a load, exclusive to replace it by another generation."""
        with locked(self._lake / "raw.lock", shared=not exclusive, wait=_PATIENCE):
            self._remove_unfinished()
            yield

    def point_at(self, generation: Path) -> None:
        """Point raw/ at `generation`, in one step. Call it with the lock."""
        link = self._lake / ".raw.next"
        link.unlink(missing_ok=True)
        link.symlink_to(generation.relative_to(self._lake))
        link.replace(self.raw)

    def switch(self, draft: Path, gone: Container[str]) -> None:
        """Switch to a generation of the folders in `draft` and the current ones, except `gone`.

        The generation before the current one is removed. The current one stays for its readers.
        """
        with self.lock(exclusive=True):
            current = self.current
            following = self._next()
            unfinished = following.with_name(f".{following.name}")
            unfinished.mkdir()
            for folder in current.iterdir():
                if folder.name not in gone:
                    _link_files(folder, unfinished / folder.name)
            for folder in draft.iterdir():
                folder.rename(unfinished / folder.name)
            before = unfinished / SCHEMA_FOLDER / _BEFORE
            before.unlink(missing_ok=True)  # a link to the file of the current one
            before.write_text(current.name)
            unfinished.rename(following)
            self.point_at(following)
        if oldest := self.before(current):
            shutil.rmtree(oldest, ignore_errors=True)

    def before(self, generation: Path) -> Path | None:
        """Return the generation that this one replaced, if it is still there."""
        try:
            name = (generation / SCHEMA_FOLDER / _BEFORE).read_text()
        except FileNotFoundError:
            return None
        before = generation.with_name(name)
        return before if name.isdecimal() and before.is_dir() else None

    def unused(self) -> list[Path]:
        """Return generations that raw does not point at and that no change will remove."""
        in_use = {self.current, self.before(self.current)}
        return [folder for folder in self.numbered() if folder.resolve() not in in_use]

    # --- a copy of a lake without its link, or with something else in its place

    def is_lost(self) -> bool:
        """Return whether raw points at no generation of this lake although there are some.

        It may be missing, point elsewhere, or be a file or an empty folder, which some copies make
        of links.
        """
        if not self.numbered():
            return False
        if self.is_folder():
            return not _names(self.raw)
        return not self.raw.is_dir() or self.current.parent != self.folder.resolve()

    def is_folder(self) -> bool:
        """Return whether raw is a folder of its own."""
        return self.raw.is_dir() and not self.raw.is_symlink()

    def is_partial(self) -> str:
        """Return in a sentence that raw is a folder without some loads; '' if it is not."""
        *_, newest = [None, *self.numbered()]
        if newest is None or not self.is_folder():
            return ""
        if not (missing := _names(newest) - _names(self.raw)):
            return ""
        return (
            f"{self.raw}: is a folder and not a link, and lacks {len(missing)} of the folders in "
            f"{newest}. If it was copied only in part, run: rm -r {shlex.quote(str(self.raw))}"
        )

    def recover(self) -> None:
        """Point raw at the newest generation if the link is lost or has become a folder.

        Raises WarehouseError if a person has to decide, and OSError.
        """
        if self.is_folder() and not self.is_lost():
            if not os.access(self._lake, os.W_OK):  # readers can use it as it is
                return
            if reason := self.is_partial():
                raise WarehouseError(reason)
            with self.lock(exclusive=True):
                if self.is_folder():
                    adopted = self._next()
                    self.folder.mkdir(exist_ok=True)
                    self.raw.rename(adopted)
                    self.point_at(adopted)
                    log.warning("%s: was a folder and not a link; moved to %s", self.raw, adopted)
        elif self.is_lost():
            with self.lock(exclusive=True):
                if self.is_lost():
                    newest = self.numbered()[-1]
                    if self.is_folder():
                        shutil.rmtree(self.raw)
                    self.point_at(newest)
                    log.warning("%s: this link was lost; it leads to %s again", self.raw, newest)

    def _next(self) -> Path:
        """Return the folder for the next generation, which is not made yet."""
        last = max((int(folder.name) for folder in self.numbered()), default=0)
        return self.folder / f"{last + 1:06}"

    def _remove_unfinished(self) -> None:
        """Remove the generation that a killed change was making. Call it with the lock."""
        for path in self.folder.glob(".*"):
            shutil.rmtree(path, ignore_errors=True)


def _names(generation: Path) -> set[str]:
    """Return the names of the folders of loads in a generation."""
    return {path.name for path in generation.iterdir() if path.name[0] not in "._"}


def _link_files(folder: Path, place: Path) -> None:
    place.mkdir()
    for file in folder.iterdir():
        os.link(file, place / file.name)
