#!/bin/sh
# Prepare what Airflow and perfhouse share: folders, Airflow's database, its pool, its
# connections and its first user. It may run again, after an update for example.
set -eu
user=50000 # of the image

mkdir -p /shared/landing /shared/data
cp /etc/perfhouse/perfhouse.toml /shared/perfhouse.toml
chown "$user:0" /shared /shared/landing /shared/data /shared/perfhouse.toml

airflow db migrate
airflow pools set "$PERFHOUSE_POOL" 1 "builds"

# Airflow encrypts passwords in its database. A file, because arguments can be seen.
connections=$(mktemp --suffix=.json)
trap 'rm -f "$connections"' EXIT
python - >"$connections" <<'PYTHON'
import json, os
print(json.dumps({
    "perfhouse_catalog": {
        "conn_type": "postgres",
        "login": "perfhouse",
        "password": os.environ["PERFHOUSE_CATALOG_PASSWORD"],
    },
    "perfhouse_storage": {
        "conn_type": "aws",
        "login": os.environ["AWS_ACCESS_KEY_ID"],
        "password": os.environ["AWS_SECRET_ACCESS_KEY"],
    },
}))
PYTHON
airflow connections import --overwrite "$connections"

airflow users list 2>/dev/null | grep -q '| admin ' ||
    airflow users create --username admin --role Admin --firstname - --lastname - \
        --email admin@localhost --password "$AIRFLOW_ADMIN_PASSWORD"
