-- The users of PostgreSQL and their databases. psql reads the passwords: they are no arguments.
\set password `cat /run/secrets/airflow_database_password`
CREATE ROLE airflow LOGIN PASSWORD :'password';
CREATE DATABASE airflow OWNER airflow;
\set password `cat /run/secrets/catalog_password`
CREATE ROLE perfhouse LOGIN PASSWORD :'password';
CREATE DATABASE perfhouse OWNER perfhouse;
