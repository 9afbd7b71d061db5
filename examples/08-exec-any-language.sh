#!/bin/sh
# Gives a program of any language a browser for as long as it runs. `bowline exec` passes the exit code on and prints the
# bill to stderr. A Python program, for example, needs no more than this inside:
#
#   browser = playwright.chromium.connect_over_cdp(os.environ["BOWLINE_CDP_URL"])
#
# Needs BOWLINE_BASE_URL and BOWLINE_API_KEY, or a server on this machine, and `bowline` on PATH (in a clone: `npm run build`
# and `npm link`).
set -eu

bowline exec --ttl 60 -- sh -c '
  echo "session:  $BOWLINE_SESSION_ID"
  echo "protocol: ${BOWLINE_CDP_URL%%:*}"
'
