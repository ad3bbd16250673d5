"""Parsers of the outputs of benchmarks and their systems (ingest.formats.text.parser)."""
