"""The audit: Great Expectations suites over the raw tables, the marts and the rates.

Only a build that passed is published. Suites are functions that return `Rule`s; `audit.run_audit`
is the entry. Great Expectations takes ten seconds to import, so only `gx` imports it, and `gx` is
imported when an audit runs.
"""
