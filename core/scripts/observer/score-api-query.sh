#!/bin/sh
# Print the score snapshot of a wallet:
#
#   score-api-query.sh profile <wallet> --format snapshot
#
# It reads grimoires/<root>/scores/<wallet in lower case>.json below $MINDLOOP_ROOT (or the current folder); <root> is
# $MINDLOOP_OBSERVER_ROOT, or "observer". To ask a real score API instead, put your own command with the same arguments
# into mindloop.yaml (observer.score_api.command).
#
# Exit: 0 printed, 1 no snapshot of that wallet, 2 wrong call.
# It is called once a user of a batch, so it starts no other process: shell built-ins only.
set -u

fail() {
  status=$1
  shift
  printf 'score-api-query.sh: %s\n' "$*" >&2
  exit "$status"
}

usage='expected: profile <wallet> --format snapshot'
[ "$#" -eq 4 ] || fail 2 "got $# arguments; $usage"
[ "$1" = profile ] || fail 2 "the first argument is not 'profile'; $usage"
[ "$3" = --format ] && [ "$4" = snapshot ] || fail 2 "the only format is 'snapshot'; $usage"

wallet=$2
case $wallet in
  0x*) digits=${wallet#0x} ;;
  *) fail 2 "the wallet does not start with 0x; expected 0x and 40 hex digits" ;;
esac
case $digits in
  *[!0123456789abcdefABCDEF]*) fail 2 "the wallet holds more than hex digits; expected 0x and 40 hex digits" ;;
esac
[ "${#digits}" -eq 40 ] || fail 2 "the wallet has ${#digits} digits; expected 0x and 40 hex digits"

lower=0x
while [ -n "$digits" ]; do
  rest=${digits#?}
  digit=${digits%"$rest"}
  case $digit in
    A) digit=a ;;
    B) digit=b ;;
    C) digit=c ;;
    D) digit=d ;;
    E) digit=e ;;
    F) digit=f ;;
  esac
  lower=$lower$digit
  digits=$rest
done

root=${MINDLOOP_OBSERVER_ROOT:-observer}
case $root in
  /* | .* | */.*) fail 2 "MINDLOOP_OBSERVER_ROOT must name a folder below grimoires/" ;;
esac
file=${MINDLOOP_ROOT:-.}/grimoires/$root/scores/$lower.json

[ -f "$file" ] || fail 1 "no snapshot of $lower: there is no file $file"
[ -r "$file" ] || fail 1 "no snapshot of $lower: $file cannot be read"
[ -s "$file" ] || fail 1 "no snapshot of $lower: $file is empty"

while IFS= read -r line; do
  printf '%s\n' "$line" || exit 1
done <"$file"
# what follows the last line break
[ -z "$line" ] || printf '%s' "$line"
