#!/bin/sh
# A night on one host without Airflow: load what arrived, build, check, publish, report, back up.
# perfhouse-night.timer runs it, or cron:
#
#   0 2 * * *  set -a; . /etc/perfhouse.env; exec /opt/perfhouse/night.sh
#
# The settings are those of docs/install.md, exported: PERFHOUSE_WAREHOUSE, PERFHOUSE_LANDING and
# PERFHOUSE_BACKUP have to be set. Errors in the data and regressions are sent by `run`; if a step
# itself fails, the others go on, and the same channels get its errors (docs/notifications.md).
# Status: 0 done; 2 a step failed; 75 the night before is still at work.
set -u
warehouse=${PERFHOUSE_WAREHOUSE:?} landing=${PERFHOUSE_LANDING:?} backup=${PERFHOUSE_BACKUP:?}
reports=${PERFHOUSE_HOME:-$(dirname "$warehouse")}/reports
mkdir -p "$landing" "$reports"
exec 9>"$warehouse.night"
flock --nonblock 9 || {
    echo "night.sh: the night before is still at work: it holds $warehouse.night" >&2
    exit 75
}

failed=
try() {
    { reason=$(perfhouse "$@" 2>&1 >&3); status=$?; } 3>&1
    [ -z "$reason" ] || echo "$reason" >&2
    [ "$status" -le 1 ] || failed="$failed$1: $(echo "$reason" | tr '\n' ';') "
}
try run "$landing"
try report regressions --out "$reports/regressions.html"
try retain
try backup "$backup" --keep "${PERFHOUSE_BACKUP_KEEP:-14}"
[ -z "$failed" ] || {
    perfhouse notify --failure "$failed"
    exit 2
}
