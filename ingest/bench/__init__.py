"""Parsers of outputs of benchmarks and of their systems, as ingest.text.parser defines them."""
