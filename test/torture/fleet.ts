import { access, chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { labS3Credentials } from '../lab/bucket.ts'
import { findFreePort } from '../lab/free-port.ts'
import type { LabDatabase } from '../lab/postgres.ts'
import { startServerProcess, type ServerProcess } from '../lab/server-process.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../lab/small-disk.ts'
import { temporaryFolder } from '../lab/stores.ts'
import { startLink, type Link } from './link.ts'

/** A server that can be killed and restarted with the same data and port. */
export interface Member {
  readonly name: string
  /** Base URL through its link, as clients use it. */
  readonly url: string
  readonly port: number
  readonly dataDir: string
  /** Folder for its temporary files. */
  readonly temporaryDir: string
  /** Network between clients and the server. */
  readonly link: Link
  /** Network between the server and PostgreSQL. */
  readonly databaseLink: Link | undefined
  /** Disk of the data directory. Undefined: this process may not mount one. */
  readonly disk: SmallDisk | undefined
  readonly server: () => ServerProcess
  /** Times at which it was killed, in milliseconds since the epoch. */
  readonly killsMs: readonly number[]
  /** Ends its process with a signal, waits, and starts it again. Returns the exit code. */
  readonly restart: (signal: 'SIGKILL' | 'SIGTERM', waitMs: number) => Promise<number | null>
  /** Sets its wall clock to the real time plus this many milliseconds. */
  readonly setClock: (offsetMs: number) => Promise<void>
}

/** The servers of a run, on one database. */
export interface Fleet extends AsyncDisposable {
  readonly members: readonly Member[]
  /** Undefined: an embedded database. */
  readonly database: LabDatabase | undefined
  /** A key of a team with credits. */
  readonly apiKey: string
  readonly credits: number
  /** When disks were full, in milliseconds since the epoch. The last period may not be over. */
  readonly fullDisks: { readonly fromMs: number; untilMs: number }[]
  /** Folder of the clients' session markers. */
  readonly sessionDir: string
  /** Stops all servers in order. Returns their exit codes. */
  readonly stop: () => Promise<readonly (number | null)[]>
}

/** Options of `startFleet`. */
export interface FleetOptions {
  /** Several servers need a `database`. */
  readonly servers: number
  /** Default: an embedded one. */
  readonly database: LabDatabase | undefined
  /** Address of a bucket for files and profiles. Default: a folder that the servers share. */
  readonly bucket?: string | undefined
  readonly maxSessions: number
}

const credits = 100_000
const adminKey = 'torture-admin-key-0123456789'
/** Room for the embedded database and the files of some browsers. */
const diskMegabytes = 500
const clock = new URL('clock.mjs', import.meta.url).href

/** Waits for all members, so that those that have started end if another has failed. */
async function settled<Started extends { readonly dispose: () => Promise<void> }>(
  starting: readonly Promise<Started>[],
  undo: AsyncDisposableStack,
): Promise<readonly Started[]> {
  for (const result of await Promise.allSettled(starting)) {
    if (result.status === 'fulfilled') undo.defer(result.value.dispose)
  }
  return Promise.all(starting)
}

/** Starts servers and creates a metered team. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  await using undo = new AsyncDisposableStack()
  const folder = undo.use(await temporaryFolder()).path
  // Browsers run under other uids. If they cannot reach the data directory, their folders are
  // elsewhere.
  await chmod(folder, 0o711)
  const starting = Array.from({ length: options.servers }, async (_, index) =>
    startMember(join(folder, `server-${index + 1}`), { ...options, blobs: options.bucket ?? join(folder, 'blobs') }),
  )
  const members = (await settled(starting, undo)).map(({ member }) => member)
  const { api } = members[0]!.server()
  await api('POST', '/v2/teams', { name: 'torture', credits, maxConcurrency: 12 })
  const { body } = await api('POST', '/v2/team/keys', { name: 'torture', team: 'torture', role: 'member' })
  const owned = undo.move()
  return {
    members,
    database: options.database,
    apiKey: String(body['key']),
    credits,
    fullDisks: [],
    sessionDir: join(folder, 'sessions'),
    stop: async () => {
      const codes: (number | null)[] = []
      for (const member of members) {
        member.server().kill('SIGTERM')
        codes.push((await member.server().exited).code)
      }
      return codes
    },
    [Symbol.asyncDispose]: async () => owned.disposeAsync(),
  }
}

async function startMember(
  folder: string,
  { blobs, database, maxSessions }: FleetOptions & { readonly blobs: string },
): Promise<{ readonly member: Member; readonly dispose: () => Promise<void> }> {
  await using undo = new AsyncDisposableStack()
  const [name = ''] = folder.split('/').slice(-1)
  const temporaryDir = `${folder}-tmp`
  await mkdir(temporaryDir, { recursive: true })
  const disk = canMount ? undo.use(await mountSmallDisk(diskMegabytes)) : undefined
  if (disk !== undefined) await chmod(disk.path, 0o711)
  const dataDir = disk === undefined ? folder : join(disk.path, 'data')
  const port = await findFreePort()
  const link = undo.use(await startLink({ host: '127.0.0.1', port }))
  const databaseLink = database && undo.use(await startLink({ path: socketPathOf(database.url) }))
  const clockFile = `${folder}-clock`
  const url = `http://127.0.0.1:${link.port}`
  const flags = ['--port', String(port), '--public-url', url, '--blobs', blobs, '--max-sessions', String(maxSessions)]
  const databaseFlags =
    database === undefined || databaseLink === undefined
      ? []
      : ['--database-url', throughPort(database.url, databaseLink.port)]
  const start = async (): Promise<ServerProcess> =>
    startServerProcess({
      dataDir,
      flags: [...flags, '--log-level', 'warn', '--rate-limits', 'off', ...databaseFlags],
      env: {
        BOWLINE_API_KEY: adminKey,
        TMPDIR: temporaryDir,
        NODE_OPTIONS: `--import=${clock}`,
        BOWLINE_TORTURE_CLOCK: clockFile,
        AWS_ACCESS_KEY_ID: labS3Credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: labS3Credentials.secretAccessKey,
      },
    })
  let server = await start()
  undo.defer(async () => {
    // It may be stopped.
    server.kill('SIGCONT')
    await server[Symbol.asyncDispose]()
  })
  await assertHasBrowserFolder(dataDir)
  const killsMs: number[] = []
  const owned = undo.move()
  const member: Member = {
    name,
    url,
    port,
    dataDir,
    temporaryDir,
    link,
    databaseLink,
    disk,
    killsMs,
    server: () => server,
    restart: async (signal, waitMs) => {
      server.kill(signal)
      if (signal === 'SIGKILL') killsMs.push(Date.now())
      const { code } = await server.exited
      await sleep(waitMs)
      server = await startPatiently(start)
      return code
    },
    setClock: async (offsetMs) => writeFile(clockFile, String(offsetMs)),
  }
  return { member, dispose: async () => owned.disposeAsync() }
}

/** Starts a server that may fail at first, because its database or disk is not usable. */
async function startPatiently(start: () => Promise<ServerProcess>): Promise<ServerProcess> {
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!String(error).includes('exited with')) throw error
      await sleep(500)
    }
  }
}

function socketPathOf(databaseUrl: string): string {
  return `${new URL(databaseUrl).searchParams.get('host')}/.s.PGSQL.5432`
}

function throughPort(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${port}`
  return url.href
}

/** Browsers are found by the data directory in their command lines. */
async function assertHasBrowserFolder(dataDir: string): Promise<void> {
  await access(join(dataDir, 'run')).catch(() => {
    throw new Error(`Browsers cannot run in ${dataDir}: set TMPDIR to a short path that every user can traverse`)
  })
}
