#!/bin/sh
# Install Debian's Chromium for the browser tests of the dashboard, if it is missing.
set -eu
command -v chromium >/dev/null && exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "chromium: missing; installing it needs root on a Debian-like system:" >&2
    echo "chromium: run 'apt-get install chromium'. Until then browser tests are skipped." >&2
    exit 0
fi
echo "chromium: installing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if apt-get -qq update >"$log" 2>&1 &&
    apt-get -qq install -y --no-install-recommends chromium fonts-liberation >>"$log" 2>&1; then
    rm -f "$log"
else
    tail -5 "$log" >&2
    echo "chromium: apt-get could not install it (log: $log). Browser tests are skipped." >&2
fi
