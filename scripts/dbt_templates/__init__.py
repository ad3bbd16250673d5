"""What dbt offers to templates, for sqlfluff: a full build."""

from __future__ import annotations

from typing import Any


class _Anything:
    """Stands for an object of dbt: each of its functions gives a name."""

    def __getattr__(self, name: str) -> _Anything:
        if name.startswith("__") or name in {"alters_data", "unsafe_callable"}:  # Jinja asks
            raise AttributeError(name)
        return self

    def __call__(self, *arguments: Any, **options: Any) -> str:
        return "anything"

    def get(self, name: str, default: Any = None) -> Any:
        return default


config = dbt = adapter = _Anything()


def is_incremental() -> bool:
    """Return False: all of a model is built."""
    return False
