#!/bin/sh
# Prepare what Airflow and perfhouse share: folders, Airflow's database, its pool, its
# connections and its first user. It may run again, after an update for example.
set -eu

mkdir -p /shared/landing /shared/data
cp /etc/perfhouse/perfhouse.toml /shared/perfhouse.toml

airflow db migrate
airflow pools set "$PERFHOUSE_POOL" 1 "builds"

# Airflow encrypts passwords in its database. A file, because arguments can be seen.
connections=$(mktemp --suffix=.json)
trap 'rm -f "$connections"' EXIT
python - >"$connections" <<'PYTHON'
import json
from pathlib import Path

print(json.dumps({
    "perfhouse_catalog": {
        "conn_type": "postgres",
        "login": "perfhouse",
        "password": Path("/run/secrets/catalog_password").read_text().strip(),
    },
    "perfhouse_storage": {
        "conn_type": "aws",
        "login": "perfhouse",
        "password": Path("/run/secrets/store_secret_key").read_text().strip(),
    },
}))
PYTHON
airflow connections import --overwrite "$connections"

# Without a terminal, Airflow reads the password and its repetition from standard input.
password=$(cat /run/secrets/admin_password)
airflow users list 2>/dev/null | grep -q '| admin ' ||
    printf '%s\n' "$password" "$password" |
    setsid --wait airflow users create --username admin --role Admin --firstname - --lastname - \
        --email admin@localhost
