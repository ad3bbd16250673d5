#!/bin/sh
# The Python of the virtual environments:
#
#   scripts/python.sh         print the path of a Python that perfhouse supports; without one on
#                             this machine, uv downloads it
#   scripts/python.sh VENV    exit with status 0 if VENV has such a Python
#
# PYTHON  the only one that will do (a name or a path)
set -eu
cd "$(dirname "$0")/.."
wanted=$(sed -n 's/^requires-python = "\(.*\)"$/\1/p' pyproject.toml) # >=3.11,<3.14
least=${wanted#*3.} least=${least%%,*} beyond=${wanted##*3.}
minors=$(seq "$least" $((beyond - 1)))
needed="Python $(echo "$minors" | sed 's/^/3./;$!s/$/,/' | tr '\n' ' ' | sed 's/ $//;s/, \([^,]*\)$/ or \1/')"

fail() {
    echo "setup: $*" >&2
    exit 1
}

# Print the version of a Python and where it is installed; that is the same for its environments.
identity() {
    "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2], sys.base_prefix)' 2>/dev/null
}

supported() {
    found=$(identity "$1") || return 1
    echo "$minors" | sed 's/^/3./' | grep -qxF "${found%% *}"
}

[ -z "${PYTHON:-}" ] || supported "$PYTHON" || {
    found=$(identity "$PYTHON") || fail "PYTHON=$PYTHON cannot be run; perfhouse needs $needed"
    fail "PYTHON=$PYTHON is Python ${found%% *}; perfhouse needs $needed"
}

if [ $# -gt 0 ]; then
    supported "$1/bin/python" || exit 1
    [ -z "${PYTHON:-}" ] || [ "$(identity "$1/bin/python")" = "$(identity "$PYTHON")" ]
    exit
fi

if [ -n "${PYTHON:-}" ]; then
    command -v "$PYTHON"
    exit
fi
for name in $(echo "$minors" | sed 's/^/python3./') python3 python; do
    if supported "$name"; then
        command -v "$name"
        exit
    fi
done

# uv itself may have to come from the lock, by a Python of another version.
install_uv() {
    uv=$1/bin/uv
    sed -n '/^uv==/,/^ *#/p' requirements.txt >"$1/uv.txt"
    python3 -m venv "$1" && "$1/bin/python" -m pip install --quiet --no-deps --require-hashes \
        --disable-pip-version-check -r "$1/uv.txt"
}

echo "setup: this machine has no $needed; uv may bring one" >&2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ ! -e /etc/ssl/certs/ca-certificates.crt ] || export UV_SYSTEM_CERTS=true
export UV_PYTHON_DOWNLOADS=manual UV_HTTP_RETRIES=1
{
    { uv=$(command -v uv) || install_uv "$folder"; } &&
        "$uv" python install --quiet --no-bin "$wanted" >&2 &&
        "$uv" python find --managed-python "$wanted"
} 2>"$folder/errors" || fail "$needed is needed, and uv could not download it: install one" \
    "(Debian, Ubuntu: apt-get install python3 python3-venv) or name one with PYTHON="
