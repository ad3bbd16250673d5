#!/bin/sh
# Create a virtual environment from locked requirements and install the project in it:
#
#   scripts/setup.sh [VENV [FILE...]]    .venv from requirements.txt, by default
#
# Needs a Python package index, and a Python that scripts/python.sh finds (PYTHON names another).
# Every download is checked against its hash.
set -eu
cd "$(dirname "$0")/.."
venv=${1:-.venv}
[ $# = 0 ] || shift
[ $# != 0 ] || set -- requirements.txt

fail() {
    echo "setup: $*" >&2
    exit 1
}

# On Debian ensurepip is in a package of its own.
need_ensurepip() {
    "$1" -c 'import ensurepip' 2>/dev/null && return
    package=$("$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "setup: $1 has no ensurepip; installing $package"
        export DEBIAN_FRONTEND=noninteractive
        apt-get -qq update && apt-get -qq install -y --no-install-recommends "$package" >/dev/null ||
            fail "apt-get could not install $package"
    fi
    "$1" -c 'import ensurepip' 2>/dev/null ||
        fail "$1 has no ensurepip: run 'apt-get install $package' as root and try again"
}

if ! sh scripts/python.sh "$venv" 2>/dev/null; then
    python=$(sh scripts/python.sh)
    need_ensurepip "$python"
    echo "setup: creating $venv with $python"
    "$python" -m venv --clear "$venv"
fi

# uv is in the lock too, with its hashes.
uv_pin=$(sed -n '/^uv==/,/^ *#/p' requirements.txt)
uv_version=$(echo "$uv_pin" | sed -n 's/^uv==\([^ ]*\).*/\1/p')
if [ "$("$venv/bin/uv" --version 2>/dev/null | cut -d' ' -f2)" != "$uv_version" ]; then
    echo "setup: installing uv $uv_version"
    "$venv/bin/python" -m pip --version >/dev/null 2>&1 || "$venv/bin/python" -m ensurepip >/dev/null
    echo "$uv_pin" >"$venv/uv.txt"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
        --require-hashes -r "$venv/uv.txt" || fail "uv could not be installed"
fi

export VIRTUAL_ENV="$PWD/$venv" UV_PYTHON_DOWNLOADS=never
# Trust the certificates of the system, which may include those of the site.
[ ! -e /etc/ssl/certs/ca-certificates.crt ] || export UV_SYSTEM_CERTS=true
echo "setup: installing $(cat "$@" | grep '^[a-z0-9].*==' | sort -u | wc -l) locked packages"
# Compile now: if Python cannot write byte code later, every start would compile everything.
"$venv/bin/uv" pip sync --quiet --require-hashes --compile-bytecode "$@"
"$venv/bin/uv" pip install --quiet --no-deps --no-build-isolation --editable .
echo "setup: preparing the cache: parsed dbt project, build of an empty warehouse"
"$venv/bin/python" scripts/prepare_cache.py
echo "setup: done"
