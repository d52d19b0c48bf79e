#!/bin/sh
''':'
python="${0%/*}/../../.venv/bin/python"
[ -x "$python" ] || python=python3
exec "$python" "$0" "$@"
'''
import sys
from os.path import dirname, realpath

script = realpath(__file__)
sys.path[0] = dirname(dirname(script))
from mindloop.cli.app import launch  # noqa: E402 - the path above is how it is found

launch("canvas", script)
