import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { browserLedger, displayLedger } from './ledger.ts'

// Reads one line from the server. End of file without a line means that the server was killed. Then
// its browsers are killed, if their pids still belong to the processes in the ledgers (start time:
// field 22 of /proc/PID/stat, counted after the name), and the folder is removed.
const script = `
trap '' HUP INT TERM
read -r word
[ "$word" = done ] && exit 0
for ledger in "$1"/*/${browserLedger} "$1"/*/${displayLedger}; do
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
# Also remove the parent folder if this was the last run in it.
rmdir -- "\${1%/*}" 2>/dev/null
`

/** A helper process that cleans up after a killed server. Disposing ends it without cleaning up. */
export interface Janitor extends AsyncDisposable {
  readonly pid: number
}

/**
 * Starts the janitor of one run of the server. If the server is killed, the janitor kills the
 * browsers in `bootPath` and removes the folder.
 */
export async function startJanitor(bootPath: string): Promise<Janitor> {
  const child = spawn('/bin/sh', ['-c', script, 'bowline-janitor', bootPath], {
    // Own session: Ctrl-C reaches the whole process group of the terminal.
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const exited = once(child, 'exit')
  await once(child, 'spawn')
  child.unref()
  // If someone kills the janitor, writing to it must not crash the server.
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
