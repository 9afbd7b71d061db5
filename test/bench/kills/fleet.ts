import { access, chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LabDatabase } from '../../lab/postgres.ts'
import { startServerProcess, type ServerProcess } from '../../lab/server-process.ts'
import { temporaryFolder } from '../../lab/stores.ts'
import { findFreePort } from '../free-port.ts'

/** A server that can be killed and restarted with the same data and port. */
export interface Member {
  readonly url: string
  readonly dataDir: string
  /** Folder for its temporary files. */
  readonly temporaryDir: string
  readonly server: () => ServerProcess
  /** Times at which it was killed or stopped, in milliseconds since the epoch. */
  readonly endsMs: readonly number[]
  /** Ends its process with a signal, waits, and starts it again. */
  readonly restart: (signal: 'SIGKILL' | 'SIGTERM', waitMs: number) => Promise<void>
}

/** The servers of a round, on one database. */
export interface Fleet extends AsyncDisposable {
  readonly members: readonly Member[]
  /** Undefined: an embedded database. */
  readonly database: LabDatabase | undefined
  /** A key of a team with credits. */
  readonly apiKey: string
  readonly credits: number
  /** Stops all servers in order. */
  readonly stop: () => Promise<void>
}

const credits = 100_000
const adminKey = 'kills-admin-key-0123456789'

/** Starts two servers on PostgreSQL, or one with the embedded database, and a metered team. */
export async function startFleet(database: LabDatabase | undefined): Promise<Fleet> {
  await using undo = new AsyncDisposableStack()
  const folder = undo.use(await temporaryFolder()).path
  // Browsers run under other uids. If they cannot reach the data directory, their folders are
  // elsewhere.
  await chmod(folder, 0o711)
  const members: Member[] = []
  for (const name of database === undefined ? ['one'] : ['one', 'two']) {
    const member = await startMember(join(folder, name), join(folder, 'blobs'), database)
    undo.defer(async () => member.server()[Symbol.asyncDispose]())
    members.push(member)
  }
  const { api } = members[0]!.server()
  await api('POST', '/v2/teams', { name: 'kills', credits, maxConcurrency: 12 })
  const { body } = await api('POST', '/v2/team/keys', { name: 'kills', team: 'kills', role: 'member' })
  const owned = undo.move()
  return {
    members,
    database,
    apiKey: String(body['key']),
    credits,
    stop: async () => {
      for (const member of members) {
        member.server().kill('SIGTERM')
        await member.server().exited
      }
    },
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  }
}

async function startMember(dataDir: string, blobs: string, database: LabDatabase | undefined): Promise<Member> {
  const port = await findFreePort()
  const temporaryDir = `${dataDir}-tmp`
  await mkdir(temporaryDir, { recursive: true })
  const flags = ['--port', String(port), '--blobs', blobs, '--max-sessions', '6', '--log-level', 'warn']
  const start = async (): Promise<ServerProcess> =>
    startServerProcess({
      dataDir,
      flags: [...flags, '--rate-limits', 'off', ...(database === undefined ? [] : ['--database-url', database.url])],
      env: { BOWLINE_API_KEY: adminKey, TMPDIR: temporaryDir },
    })
  let server = await start()
  await assertHasBrowserFolder(dataDir)
  const endsMs: number[] = []
  return {
    url: server.url,
    dataDir,
    temporaryDir,
    endsMs,
    server: () => server,
    restart: async (signal, waitMs) => {
      server.kill(signal)
      endsMs.push(Date.now())
      await server.exited
      await sleep(waitMs)
      // The database may be unreachable at this moment.
      for (;;) {
        try {
          server = await start()
          return
        } catch (error) {
          if (!String(error).includes('exited with')) throw error
          await sleep(500)
        }
      }
    },
  }
}

/** Browsers are found by the data directory in their command lines. */
async function assertHasBrowserFolder(dataDir: string): Promise<void> {
  await access(join(dataDir, 'run')).catch(() => {
    throw new Error(`Browsers cannot run in ${dataDir}: set TMPDIR to a short path that every user can traverse`)
  })
}
