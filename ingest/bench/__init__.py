"""Parsers of what benchmarks and their systems print, each a pure module (see ingest.parsed)."""
