"""The pipeline: ingest, build, check, publish, and what these need."""
