"""The suites: functions that return the rules of an audit.

`raw` judges what was loaded, `marts` the figures of the marts, `issues` counts what the build found
wrong with the data. Structure (keys, nulls, sums,
traceability) is tested by dbt.
"""
