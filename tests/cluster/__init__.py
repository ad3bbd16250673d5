"""An estate on one machine: PostgreSQL, Redis, an object store, Airflow with Celery workers."""
