"""Parsers of reports by the RMF Postprocessor (ingest.formats.text.parser)."""
