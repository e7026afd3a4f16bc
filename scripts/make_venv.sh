#!/bin/sh
# Make a virtual environment with the first Python >= 3.11 that is found.
#
# usage: make_venv.sh DIRECTORY        PYTHON=... chooses the Python
# A directory that already holds a working environment is left as it is.
set -eu

directory=$1

is_recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:-python3.11 python3.12 python3.13 python3}; do
        if is_recent "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

if is_recent "$directory/bin/python" && "$directory/bin/python" -m pip --version >/dev/null 2>&1; then
    exit 0
fi

python=$(find_python)
if [ -z "$python" ]; then
    if [ -n "${PYTHON:-}" ]; then
        echo "tocsin needs Python 3.11 or newer, and PYTHON=$PYTHON is not one that runs." >&2
    else
        echo "tocsin needs Python 3.11 or newer, and none was found. Install one, or name it:" \
            "make PYTHON=/path/to/python3 ..." >&2
    fi
    exit 1
fi

if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "$python has no venv module. On Debian and Ubuntu: apt-get install python$version-venv" >&2
    exit 1
fi

echo "Making $directory with $("$python" --version) ..."
if ! "$python" -m venv --clear "$directory"; then
    rm -rf "$directory"
    echo "Could not make a virtual environment in $directory with $python." >&2
    exit 1
fi
