#!/bin/sh
# Runs the public command line of this API, unmodified, on your own server.
# npm install -g firecrawl-cli
# Requires BOWLINE_BASE_URL and BOWLINE_API_KEY.
set -eu
export FIRECRAWL_API_URL="$BOWLINE_BASE_URL" FIRECRAWL_API_KEY="$BOWLINE_API_KEY"

firecrawl scrape "$1" --format markdown
firecrawl map "$1" --limit 5
