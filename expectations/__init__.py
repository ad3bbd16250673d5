"""The audit: suites on raw tables, marts, rates and regressions, run by Great Expectations.

Only a fault of perfhouse keeps a build from being published; what is wrong with the data is shown.
Suites are functions that return `Rule`s; `audit.run_audit` is the entry point. Great Expectations
takes seconds to import, so only the package `gx` imports it, when an audit runs.
"""
