#!/bin/sh
# Make the secrets of compose.yaml that are not there yet: a file each in secrets/. Each is 32 random
# bytes in URL-safe base64, the form of a Fernet key. One of your own may have A-Z a-z 0-9 - _ = only,
# as some stand in addresses. Airflow's must be the same on all hosts.
set -eu
cd "$(dirname "$0")"
mkdir -p secrets
# The folder keeps other people out. Each container sees its own files only, as a user of its own.
chmod 700 secrets
for name in \
    admin_password airflow_database_password api_secret_key broker_password catalog_password \
    database_password fernet_key jwt_secret store_secret_key; do
    [ ! -e "secrets/$name" ] || continue
    head -c 32 /dev/urandom | base64 | tr -d '\n' | tr '+/' '-_' >"secrets/$name"
    chmod 444 "secrets/$name"
done
