#!/bin/sh
# Build dbt's documentation, with the lineage graph, and serve it on 127.0.0.1 until Ctrl-C.
#
# The result is one HTML file that needs nothing else: data/cache/docs/index.html.
#
# DOCS_PORT            port to serve on (default: 8081)
# SERVE                0: only build the file
# PERFHOUSE_WAREHOUSE  published warehouse whose tables are described (default: the bundled one)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
port=${DOCS_PORT:-8081}
home=${PERFHOUSE_HOME:-$root/data}
warehouse=${PERFHOUSE_WAREHOUSE:-$home/warehouse/perfhouse.duckdb}
docs=$home/cache/docs

set -a
. "$root/scripts/quiet.env"
PERFHOUSE_HOME=$home
PERFHOUSE_WORK=$docs/build/work.duckdb # dbt opens its database for writing: never the published file
DBT_TARGET_PATH=$docs/build
DBT_LOG_PATH=$docs/build
set +a

[ -e "$warehouse" ] || "$root/.venv/bin/perfhouse" run
rm -rf "$docs/build"
mkdir -p "$docs/build"
cp "$warehouse" "$PERFHOUSE_WORK"
echo "docs: building (about half a minute)"
"$root/.venv/bin/dbt" --quiet docs generate --static \
    --project-dir "$root/dbt" --profiles-dir "$root/dbt"
mv "$docs/build/static_index.html" "$docs/index.html"
rm -rf "$docs/build"
echo "docs: $docs/index.html"

[ "${SERVE:-1}" != 0 ] || exit 0
echo "docs: http://127.0.0.1:$port/  (lineage: the button at the bottom right; Ctrl-C stops)"
exec "$root/.venv/bin/python" -m http.server "$port" --bind 127.0.0.1 --directory "$docs"
