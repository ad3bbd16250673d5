#!/bin/sh
# Run Airflow with the DAGs of this project.
#
#   scripts/airflow.sh              Airflow's processes until Ctrl-C or SIGTERM; supervisord starts
#                                   one that ends again, and its tasks go on
#   scripts/airflow.sh ARGUMENT...  one `airflow` command in the same environment
#
# PERFHOUSE_AIRFLOW_PORT  port on 127.0.0.1 (default: 8080)
# AIRFLOW_HOME            database, logs and password (default: data/airflow)
# The DAGs read PERFHOUSE_LANDING, PERFHOUSE_WAREHOUSE, PERFHOUSE_SETTLED and PERFHOUSE_LOOK_EVERY.
#
# It listens on 127.0.0.1 only, as its sign-in keeps passwords in a plain file. To open Airflow to
# other machines, run one with an auth manager of its own and give it the DAGs (docs/install.md).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
port=${PERFHOUSE_AIRFLOW_PORT:-8080}
case ${AIRFLOW__API__HOST:-127.0.0.1} in
127.0.0.1 | localhost | ::1) ;;
*)
    echo "airflow: AIRFLOW__API__HOST=$AIRFLOW__API__HOST: 'make airflow' serves this machine only;" \
        "for others, use an Airflow with an auth manager (docs/install.md)" >&2
    exit 2
    ;;
esac

# Airflow keeps keys, passwords and logs there.
home=${AIRFLOW_HOME:-$root/data/airflow}
mkdir -p "$home"
chmod 700 "$home"

set -a
. "$root/scripts/quiet.env"
AIRFLOW_HOME=$(cd "$home" && pwd)
# Airflow's processes share this database: on a busy machine 5 seconds, the default, are too few.
AIRFLOW__DATABASE__SQL_ALCHEMY_CONN=${AIRFLOW__DATABASE__SQL_ALCHEMY_CONN:-sqlite:///$AIRFLOW_HOME/airflow.db?timeout=60}
AIRFLOW__CORE__DAGS_FOLDER=$root/dags
AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS=False
AIRFLOW__CORE__PARALLELISM=4 # the default forks 32 workers
AIRFLOW__CORE__EXECUTION_API_SERVER_URL=http://127.0.0.1:$port/execution/
AIRFLOW__API__HOST=127.0.0.1
AIRFLOW__API__PORT=$port
AIRFLOW__API__BASE_URL=http://127.0.0.1:$port/
AIRFLOW__API__WORKERS=1
AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL=30
# On a busy machine the imports of a DAG take longer than Airflow's 30 seconds.
AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT=${AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT:-120}
AIRFLOW__DAG_PROCESSOR__DAG_FILE_PROCESSOR_TIMEOUT=${AIRFLOW__DAG_PROCESSOR__DAG_FILE_PROCESSOR_TIMEOUT:-180}
AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD=30
# Seconds until the tasks that a scheduler had queued are queued again by its successor.
AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL=${AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL:-60}
# A task whose worker died is tried again after this many seconds.
AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT=${AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT:-120}
PERFHOUSE_POOL=perfhouse_writer
AIRFLOW__LOGGING__NAMESPACE_LEVELS=great_expectations=WARNING
PATH=$root/.venv/bin:$PATH
set +a

if [ $# -gt 0 ]; then
    exec airflow "$@"
fi

if "$root/.venv/bin/python" - "$port" <<'PYTHON'; then
import socket, sys
sys.exit(socket.socket().connect_ex(("127.0.0.1", int(sys.argv[1]))))
PYTHON
    echo "airflow: port $port is in use; choose another with PERFHOUSE_AIRFLOW_PORT" >&2
    exit 2
fi

# Airflow would print a password that it generates.
passwords=$AIRFLOW_HOME/simple_auth_manager_passwords.json.generated
[ -s "$passwords" ] || (
    umask 077
    "$root/.venv/bin/python" -c \
        'import json, secrets; print(json.dumps({"admin": secrets.token_urlsafe(16)}))' >"$passwords"
)
for secret in "$passwords" "$AIRFLOW_HOME"/airflow.cfg "$AIRFLOW_HOME"/airflow.db; do
    [ ! -e "$secret" ] || chmod 600 "$secret"
done
log=$AIRFLOW_HOME/setup.log
echo "airflow: preparing the database in $AIRFLOW_HOME"
{ airflow db migrate && airflow pools set "$PERFHOUSE_POOL" 1 "the working database"; } >"$log" 2>&1 || {
    tail -20 "$log" >&2
    exit 1
}

supervisord -c "$root/scripts/supervisord.conf" >/dev/null &
supervisor=$!

stop() {
    trap '' INT TERM
    echo "airflow: stopping"
    kill -TERM "$supervisor" 2>/dev/null || true
    wait "$supervisor" || true
    echo "airflow: stopped"
}
trap 'stop; exit 0' INT TERM

healthy() {
    "$root/.venv/bin/python" - "$port" <<'PYTHON' 2>/dev/null
import json, sys, urllib.request
url = f"http://127.0.0.1:{sys.argv[1]}/api/v2/monitor/health"
health = json.load(urllib.request.urlopen(url, timeout=2))
parts = ("scheduler", "dag_processor", "triggerer")
sys.exit(any(health[part]["status"] != "healthy" for part in parts))
PYTHON
}

echo "airflow: starting (about a minute); logs in $AIRFLOW_HOME"
until healthy; do
    kill -0 "$supervisor" 2>/dev/null || {
        tail -20 "$AIRFLOW_HOME"/*.log >&2
        exit 1
    }
    sleep 1
done
chmod 600 "$AIRFLOW_HOME"/airflow.cfg "$AIRFLOW_HOME"/airflow.db 2>/dev/null || true
echo "airflow: http://127.0.0.1:$port/  user and password are in"
echo "         $passwords"
landing=${PERFHOUSE_LANDING:-${PERFHOUSE_HOME:-$root/data}/landing}
mkdir -p "$landing"
echo "airflow: the DAGs watch $landing; Ctrl-C stops Airflow"
wait "$supervisor" || true
echo "airflow: ended unexpectedly; see $AIRFLOW_HOME/supervisord.log" >&2
exit 1
