#!/bin/sh
''':'
python="${0%/*}/../../.venv/bin/python"
[ -x "$python" ] || python="${MINDLOOP_VENV:-${XDG_DATA_HOME:-$HOME/.local/share}/mindloop/venv}/bin/python"
[ -x "$python" ] || python=python3
exec "$python" "$0" "$@"
'''
import sys
from os import environ
from os.path import dirname, exists, expanduser, realpath

script = realpath(__file__)
sys.path[0] = dirname(dirname(script))
if not exists(f"{sys.path[0]}/../.venv"):  # not set up in place, as a plugin for example: nothing is written beside it
    sys.pycache_prefix = f"{environ.get('XDG_DATA_HOME') or expanduser('~/.local/share')}/mindloop/pycache"
from mindloop.cli.app import launch  # noqa: E402 - the path above is how it is found

launch("fu_conformance", script)
