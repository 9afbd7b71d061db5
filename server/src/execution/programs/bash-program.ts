/**
 * The program of a bash interpreter, passed to `bash -c`. The id and the code of a call arrive on
 * descriptor 3, each ended by a NUL. One line of JSON per outcome leaves on descriptor 4. The end
 * of a call is marked in stdout and stderr. Closes descriptors that the server has inherited.
 */
export const bashProgram = String.raw`
agent-browser() {
  if type -P agent-browser >/dev/null; then command agent-browser --cdp "$CDP_URL" "$@"; return; fi
  echo 'agent-browser is not installed on this server' >&2
  return 127
}
for __bowline_fd in /proc/self/fd/*; do
  IFS=/ read -r _ _ _ _ __bowline_fd <<<"$__bowline_fd"
  case $__bowline_fd in [0-4] | '*') ;; *) eval "exec $__bowline_fd>&-" ;; esac
done
while IFS= read -r -d '' -u 3 __bowline_id && IFS= read -r -d '' -u 3 __bowline_code; do
  eval "$__bowline_code" 3<&- 4>&- </dev/null
  __bowline_status=$?
  printf '\0%s\0' "$__bowline_id"
  printf '\0%s\0' "$__bowline_id" >&2
  printf '{"id":"%s","exitCode":%d}\n' "$__bowline_id" "$__bowline_status" >&4
done
`
