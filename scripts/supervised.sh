#!/bin/sh
# Run one process of Airflow: scripts/supervised.sh COMMAND [OPTION...]. supervisord.conf uses it.
#
# When that process ends, however it ends, what it had started ends too: workers of a scheduler that
# was killed would wait for ever, and repeat what its successor repeats. It ends with this script.
# supervisord gives each script a process group of its own.

# Tasks report to the API server: on a slow machine the first ones would use up their retries.
if [ "$1" = scheduler ]; then
    python - "$AIRFLOW__API__PORT" <<'PYTHON' || exit 1
import socket, sys, time
while socket.socket().connect_ex(("127.0.0.1", int(sys.argv[1]))):
    time.sleep(0.5)
PYTHON
fi

trap : INT TERM
setpriv --pdeathsig KILL airflow "$@" &
airflow=$!
while kill -0 "$airflow" 2>/dev/null; do
    wait "$airflow"
done
kill -KILL 0
