"""Great Expectations on DuckDB; importing this package imports it, which takes seconds."""

import gc
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

# Great Expectations reads these when it is imported.
os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")


class _Unused(ModuleType):
    """Stands for a module that only expectations import that we do not use; loaded if one does."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system looks whether it has them
            raise AttributeError(name)
        return getattr(import_module(self.__name__), name)


# Two fifths of the time in which it is imported go into these.
_unused = {name: _Unused(name) for name in ("altair", "scipy.stats") if name not in sys.modules}
# Importing it creates objects that stay: looking for garbage among them costs half a second.
gc.disable()
sys.modules |= _unused
try:
    import great_expectations  # noqa: F401
finally:
    for _name in _unused:
        del sys.modules[_name]
    gc.freeze()
    gc.enable()
