#!/bin/sh
# Makes a new platform on the team's sandbox, with its own credentials, data, clock and settings, and prints it as JSON.
#   sh make-platform.sh [BASE_URL]
set -eu
base=${1:-http://localhost:4010}
curl --fail --silent --show-error "$base/__sandbox/platforms" \
  -H "Authorization: Bearer ${CONTROL_TOKEN:?is missing: the token that the sandbox was started with}" \
  -H 'Content-Type: application/json' \
  -d '{"world":"ready-made"}'
