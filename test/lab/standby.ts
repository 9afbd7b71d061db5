import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findBinaries, findOwner, isReady, type LabPostgres } from './postgres.ts'

const execute = promisify(execFile)

/** A streaming replica of a PostgreSQL. Disposing stops it and removes its files. */
export interface Standby extends AsyncDisposable {
  /** Folder of its Unix socket. */
  readonly socketFolder: string
  /** Makes it the primary. */
  readonly promote: () => Promise<void>
}

/** Copies a running PostgreSQL and starts the copy as its standby, on a Unix socket only. */
export async function startStandby(primary: Pick<LabPostgres, 'socketFolder'>): Promise<Standby> {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'bowline-standby-'))
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const owner = await findOwner()
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
  const binaries = await findBinaries()
  const files = join(folder, 'cluster')
  const options = { ...owner, cwd: folder }
  const copy = [
    '-h',
    primary.socketFolder,
    '-U',
    'bowline',
    '-D',
    files,
    '-R',
    '-X',
    'stream',
    '-c',
    'fast',
    '--no-sync',
  ]
  await execute(join(binaries, 'pg_basebackup'), copy, options)
  const settings = ['listen_addresses=', 'fsync=off', 'max_connections=200'].flatMap((setting) => ['-c', setting])
  const child = spawn(join(binaries, 'postgres'), ['-D', files, '-k', folder, ...settings], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  undo.defer(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGQUIT')
    await exited
  })
  await isReady(child, 'ready to accept read-only connections')
  const owned = undo.move()
  return {
    socketFolder: folder,
    promote: async () => {
      await execute(join(binaries, 'pg_ctl'), ['promote', '-D', files, '-w'], options)
    },
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  }
}
