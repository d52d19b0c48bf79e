#!/bin/sh
''':'
python="${0%/*}/../../../.venv/bin/python"
[ -x "$python" ] || python=python3
exec "$python" -IS "$0" "$@"
'''
import sys
from os.path import dirname, realpath

sys.path[0] = dirname(dirname(dirname(realpath(__file__))))
from mindloop.cli.hooks import launch_hook  # noqa: E402 - the path above is how it is found
from mindloop.cli.hooks_answer import handle  # noqa: E402 - likewise

launch_hook(handle)
