#!/bin/sh
# Install PostgreSQL and Redis from Debian's packages for `make cluster`, if they are missing. No
# server of Debian's is started: `make cluster` starts its own.
set -eu

missing() {
    command -v redis-server >/dev/null && ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 &&
        return 1
    return 0
}
missing || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "cluster: PostgreSQL or Redis is missing; installing them needs root on a Debian-like" >&2
    echo "cluster: system: run 'apt-get install postgresql redis-server'" >&2
    exit 1
fi
echo "cluster: installing PostgreSQL and Redis"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)

# Debian asks this program before it starts a server; 101 means no.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
    trap 'rm -f "$policy"' EXIT
fi
if apt-get -qq update >"$log" 2>&1 &&
    apt-get -qq install -y --no-install-recommends postgresql redis-server >>"$log" 2>&1; then
    rm -f "$log"
else
    tail -5 "$log" >&2
    echo "cluster: apt-get could not install them (log: $log)" >&2
    exit 1
fi
