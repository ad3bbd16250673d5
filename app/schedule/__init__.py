"""What the DAGs share: how they wait, retry, and report a failure."""
