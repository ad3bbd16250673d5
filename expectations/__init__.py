"""The audit: suites on raw tables, marts, rates and regressions, run by Great Expectations.

Only a build that passes is published. Suites are functions that return `Rule`s; `audit.run_audit`
is the entry point. Great Expectations takes seconds to import, so only the package `gx` imports
it, when an audit runs.
"""
