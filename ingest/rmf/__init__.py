"""Parsers of RMF's Postprocessor reports, each a pure module (see ingest.parsed)."""
