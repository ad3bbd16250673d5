"""Zeros in a row: a file that goes on with nothing else ends for a reader."""

from __future__ import annotations

import numpy as np

__all__ = ["PAGE", "Zeros", "leading_zeros"]

PAGE = 4096  # bytes that are looked at together


class Zeros:
    """Counts the zeros in a row that successive pieces of a file end with. limit: bytes, from 1."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.count = 0

    def allowed(self, content: memoryview) -> int:
        """Return how many bytes of the next piece come before there is one zero too many."""
        for at in range(0, len(content), self.limit):  # a part cannot have too many within it
            part = content[at : at + self.limit]
            first = leading_zeros(part) if self.count or not part[-1] else 0
            if self.count + first > self.limit:
                return at + self.limit - self.count
            self.count = self.count + first if first == len(part) else _trailing_zeros(part)
        return len(content)


def leading_zeros(content: memoryview) -> int:
    """Return how many zeros some bytes begin with."""
    for at in range(0, len(content), PAGE):
        others = np.flatnonzero(np.frombuffer(content[at : at + PAGE], np.uint8))
        if len(others):
            return at + int(others[0])
    return len(content)


def _trailing_zeros(content: memoryview) -> int:
    for end in range(len(content), 0, -PAGE):
        others = np.flatnonzero(np.frombuffer(content[max(end - PAGE, 0) : end], np.uint8))
        if len(others):
            return len(content) - max(end - PAGE, 0) - int(others[-1]) - 1
    return len(content)
