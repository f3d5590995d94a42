#!/bin/sh
# Has plain DuckDB and pyarrow read what Strandline publishes. They come from
# PyPI, into .cache/interop. Where they can't be had the test is skipped, which
# it says; in CI that is a failure.
set -eu
cd "$(dirname "$0")/.."
cache=$PWD/.cache/interop
venv=$cache/venv

skip() {
  echo "interop: SKIPPED, nothing was tested: $1" >&2
  if [ "${CI:-}" = true ]; then exit 1; fi
  exit 0
}

if ! cmp -s interop/requirements.txt "$venv/installed.txt"; then
  command -v python3 >/dev/null || skip "there is no python3"
  rm -rf "$venv"
  mkdir -p "$cache"
  python3 -m venv "$venv" || skip "python3 has no venv (Debian: apt-get install python3-venv)"
  "$venv/bin/pip" --quiet --disable-pip-version-check install -r interop/requirements.txt ||
    skip "pip could not install what interop/requirements.txt lists"
  cp interop/requirements.txt "$venv/installed.txt"
fi

# A home of its own, so that extensions are not installed into the person's.
mkdir -p "$cache/home"
HOME=$cache/home exec "$venv/bin/python" interop/interop.py
