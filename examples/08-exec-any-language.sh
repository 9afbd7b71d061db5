#!/bin/sh
# Runs a program in any language with a remote browser. `bowline exec` exits with the code of the
# program and prints the bill to stderr. A Python program, for example, connects with one line:
#
#   browser = playwright.chromium.connect_over_cdp(os.environ["BOWLINE_CDP_URL"])
#
# Requires BOWLINE_BASE_URL and BOWLINE_API_KEY, or a server on this machine, and `bowline` on PATH.
# In a clone, `npm run example 08` runs it.
set -eu

bowline exec --ttl 60 -- sh -c '
  echo "session:  $BOWLINE_SESSION_ID"
  echo "protocol: ${BOWLINE_CDP_URL%%:*}"
'
