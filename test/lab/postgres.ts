import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { openStore } from '../../server/src/store/open.ts'
import { childPids } from './browser-processes.ts'

const execute = promisify(execFile)

const template = 'bowline_template'

/** A database for one test. Disposing drops it and closes its connections. */
export interface LabDatabase extends AsyncDisposable {
  readonly url: string
  /** Closes all connections, like a restart. */
  readonly disconnect: () => Promise<void>
  /** Closes all connections and refuses new ones until the result is disposed. */
  readonly goOffline: () => Promise<AsyncDisposable>
  /**
   * Limits connections. Returns a connection string with a new role, since limits do not apply to
   * the superuser.
   */
  readonly limit: (connections: number) => Promise<string>
}

/** A private PostgreSQL. Disposing stops it and removes its files. */
export interface LabPostgres extends AsyncDisposable {
  /** Folder of its Unix socket. */
  readonly socketFolder: string
  /** Id of its main process. */
  readonly mainPid: () => number
  /**
   * Kills all its processes and starts it again after some milliseconds. Unless it is durable, the
   * last commits are lost.
   */
  readonly crash: (downMs: number) => Promise<void>
  /** Stops all its processes until the returned function is called. */
  readonly pause: () => () => void
  /** Connection string of a database. Default: the administration database. */
  readonly url: (databaseName?: string) => string
  /** Creates a database with the latest schema, or an empty one. */
  readonly createDatabase: (options?: { readonly isEmpty?: boolean }) => Promise<LabDatabase>
}

/**
 * Starts the installed PostgreSQL in a temporary directory, on a Unix socket only. `isDurable`:
 * commits survive `crash`, at the cost of a write each.
 */
export async function startPostgres({ isDurable = false } = {}): Promise<LabPostgres> {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'bowline-pg-'))
  undo.defer(() => rm(folder, { recursive: true, force: true }))
  const owner = await findOwner()
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
  const binaries = await findBinaries()
  const files = join(folder, 'cluster')
  const initdb = ['-D', files, '-U', 'bowline', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await execute(join(binaries, 'initdb'), initdb, { ...owner, cwd: folder })
  const settings = [
    'listen_addresses=',
    'fsync=off',
    `synchronous_commit=${isDurable ? 'on' : 'off'}`,
    'full_page_writes=off',
    'max_connections=200',
    'jit=off',
    // Databases of tests live for seconds, and a process visits each of them.
    `autovacuum=${isDurable ? 'on' : 'off'}`,
  ]
  const launch = async (): Promise<ChildProcess> => {
    const child = spawn(
      join(binaries, 'postgres'),
      ['-D', files, '-k', folder, ...settings.flatMap((setting) => ['-c', setting])],
      { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    await isReady(child)
    return child
  }
  let postgres = await launch()
  undo.defer(() => stop(postgres))
  const signalAll = (signal: NodeJS.Signals): void => {
    const pid = postgres.pid ?? 0
    // The main process first, so that it starts no others.
    for (const each of [pid, ...childPids(pid)]) process.kill(each, signal)
  }

  const lab = addressAt(folder)
  await administer(lab.url(), `create database ${template}`)
  const store = await openStore({ dataDir: folder, databaseUrl: lab.url(template) })
  await store[Symbol.asyncDispose]()
  const owned = undo.move()
  return {
    ...lab,
    mainPid: () => postgres.pid ?? 0,
    crash: async (downMs) => {
      const exited = once(postgres, 'exit')
      signalAll('SIGSTOP')
      signalAll('SIGKILL')
      await exited
      await sleep(downMs)
      postgres = await launch()
    },
    pause: () => {
      signalAll('SIGSTOP')
      return () => signalAll('SIGCONT')
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** A running PostgreSQL, given the connection string of its administration database. */
export function postgresAt(adminUrl: string): PostgresAddress {
  return addressAt(new URL(adminUrl).searchParams.get('host') ?? '')
}

/** Where databases are created. */
export type PostgresAddress = Omit<LabPostgres, keyof AsyncDisposable | 'mainPid' | 'crash' | 'pause'>

function addressAt(socketFolder: string): PostgresAddress {
  const url = (databaseName = 'postgres'): string =>
    `postgres://bowline@localhost/${databaseName}?host=${encodeURIComponent(socketFolder)}`
  return {
    socketFolder,
    url,
    createDatabase: async ({ isEmpty = false } = {}) => {
      const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
      await copyDatabase(url(), name, isEmpty ? 'template0' : template)
      const disconnect = async (): Promise<void> =>
        administer(url(), `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
      const allow = async (isAllowed: boolean): Promise<void> =>
        administer(url(), `alter database ${name} allow_connections ${isAllowed}`)
      return {
        url: url(name),
        disconnect,
        goOffline: async () => {
          await allow(false)
          await disconnect()
          return { [Symbol.asyncDispose]: async () => allow(true) }
        },
        limit: async (connections) => {
          await administer(
            url(),
            `create role ${name} login connection limit ${connections}`,
            `alter database ${name} owner to ${name}`,
          )
          return url(name).replace('bowline@', `${name}@`)
        },
        [Symbol.asyncDispose]: async () => {
          await administer(url(), `drop database if exists ${name} with (force)`, `drop role if exists ${name}`)
        },
      }
    },
  }
}

async function administer(url: string, ...statements: readonly string[]): Promise<void> {
  await withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement)
  })
}

async function copyDatabase(url: string, name: string, source: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ readonly version: number }>(
      "select current_setting('server_version_num')::int as version",
    )
    // By default, newer versions write the copy to the log as well: twice the processor time.
    const strategy = (rows[0]?.version ?? 0) >= 150_000 ? 'strategy file_copy' : ''
    await client.query(`create database ${name} template ${source} ${strategy}`)
  })
}

/** Runs statements on a connection of their own. */
export async function withClient<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Finds the folder of the programs of PostgreSQL. */
export async function findBinaries(): Promise<string> {
  const found: string[] = []
  for await (const path of glob('/usr/lib/postgresql/*/bin/initdb')) found.push(path)
  const newest = found.sort((left, right) => left.localeCompare(right, 'en', { numeric: true })).at(-1)
  if (newest === undefined) throw new Error('No PostgreSQL under /usr/lib/postgresql: install the package `postgresql`')
  return join(newest, '..')
}

/**
 * The user to run PostgreSQL as if the tests run as root, since PostgreSQL refuses to run as root.
 */
export async function findOwner(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const idOf = async (flag: string) => Number((await execute('id', [flag, 'postgres'])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

/** Waits for a line of the log. */
export async function isReady(postgres: ChildProcess, readyText = 'ready to accept connections'): Promise<void> {
  const output: string[] = []
  for await (const line of createInterface({ input: postgres.stderr! })) {
    output.push(line)
    if (line.includes(readyText)) {
      postgres.stderr?.resume()
      return
    }
  }
  throw new Error(`PostgreSQL did not start: ${output.join('\n')}`)
}

async function stop(postgres: ChildProcess): Promise<void> {
  if (postgres.exitCode !== null || postgres.signalCode !== null) return
  const exited = once(postgres, 'exit')
  postgres.kill('SIGQUIT')
  await exited
}
