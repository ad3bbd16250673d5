"""Great Expectations on DuckDB; importing this package imports it, which takes seconds."""

import gc
import os

# Great Expectations reads these when it is imported.
os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")

# Importing it creates objects that stay: looking for garbage among them costs half a second.
gc.disable()
try:
    import great_expectations  # noqa: F401
finally:
    gc.freeze()
    gc.enable()
