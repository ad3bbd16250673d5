"""The pipeline: ingest, build, check and publish, called by the command line and the DAGs."""
