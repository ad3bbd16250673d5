"""Parsers of reports by the RMF Postprocessor, as ingest.text.parser defines them."""
