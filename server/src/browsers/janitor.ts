import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { browserLedger } from './ledger.ts'

// Waits for a word or for the end of the pipe. At the end without a word the server was killed: what it has left behind is
// killed, if the process is still the one in the ledger (field 22 of its stat, counted behind the name), and removed.
const script = `
trap '' HUP INT TERM
read -r word
[ "$word" = done ] && exit 0
for ledger in "$1"/*/${browserLedger}; do
  [ -f "$ledger" ] || continue
  pid=$(sed -n 's/.*"pid":\\([0-9]*\\).*/\\1/p' "$ledger")
  ticks=$(sed -n 's/.*"startTicks":"\\([0-9]*\\)".*/\\1/p' "$ledger")
  [ -n "$pid" ] && [ -n "$ticks" ] && [ -r "/proc/$pid/stat" ] || continue
  [ "$(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 20)" = "$ticks" ] && kill -s KILL -- "-$pid"
done
tries=0
while [ -e "$1" ] && [ "$tries" -lt 50 ]; do
  rm -rf -- "$1" 2>/dev/null
  tries=$((tries + 1))
  [ -e "$1" ] && sleep 0.1
done
# The folder around it goes too when this was the last run in it.
rmdir -- "\${1%/*}" 2>/dev/null
`

/** A process that outlives the server only to clean up after it. Disposing ends it with nothing done. */
export interface Janitor extends AsyncDisposable {
  readonly pid: number
}

/** Starts the janitor of one run of the server: when the server is killed, it kills the browsers in `bootPath` and removes it. */
export async function startJanitor(bootPath: string): Promise<Janitor> {
  const child = spawn('/bin/sh', ['-c', script, 'bowline-janitor', bootPath], {
    // A session of its own: Ctrl-C reaches the whole group of the terminal.
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const exited = once(child, 'exit')
  await once(child, 'spawn')
  child.unref()
  // A janitor that someone has killed must not take the server with it.
  child.stdin.on('error', () => {})
  return {
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.ref()
        child.stdin.end('done\n')
        await exited
      }
    },
  }
}
