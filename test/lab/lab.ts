import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startConfigured, type RunningServer } from '../../server/src/app.ts'
import { parseConfig, type ServerOptions } from '../../server/src/config.ts'
import type { CreateSessionOptions, CreateSessionResponse } from '../../src/contract.ts'
import { knownIsolation } from './known-isolation.ts'
import { sharedPostgres } from './shared-postgres.ts'

/** A response of the API. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- tests look into answers of every shape
}

/** A real server on a free port with its own data directory, and helpers to call it. */
export interface Lab extends AsyncDisposable {
  readonly server: RunningServer
  readonly dataDir: string
  /** Calls the API with the bootstrap key, or with the given headers. */
  readonly api: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** Creates a session. Throws an Error if that fails. */
  readonly createSession: (options?: CreateSessionOptions) => Promise<CreateSessionResponse>
}

/**
 * Starts a server that may access the local test sites. Disposing stops it and removes its data.
 * `warm` defaults to 0, so that tests do not wait for browsers they do not use. Unless the options
 * name a database or a data directory, the server gets a new database of the shared PostgreSQL:
 * starting an embedded one takes four times the CPU time.
 */
export async function startLab(options: ServerOptions = {}): Promise<Lab> {
  if ('databaseUrl' in options || 'dataDir' in options) return start(options)
  await using undo = new AsyncDisposableStack()
  const postgres = await sharedPostgres()
  const { url } = undo.use(await postgres.createDatabase())
  const lab = undo.use(await start({ ...options, databaseUrl: url }))
  const owned = undo.move()
  return { ...lab, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Starts the same server with the embedded database. */
export async function startEmbeddedLab(options: ServerOptions = {}): Promise<Lab> {
  return start({ ...options, databaseUrl: undefined })
}

async function start(options: ServerOptions): Promise<Lab> {
  await using undo = new AsyncDisposableStack()
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'bowline-lab-')))
  if (options.dataDir === undefined)
    undo.defer(async () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const config = parseConfig({ port: 0, logLevel: 'silent', warm: 0, allow: ['127.0.0.1'], ...options, dataDir })
  const server = undo.use(await startConfigured(config, { isolation: await knownIsolation(config) }))
  const opened = undo.move()
  const api: Lab['api'] = async (method, path, body, headers = { authorization: `Bearer ${server.apiKey}` }) => {
    const response = await fetch(new URL(path, server.url), {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } }
  }
  return {
    server,
    dataDir,
    api,
    createSession: async (body = {}) => {
      const answer = await api('POST', '/v2/browser', body)
      if (answer.status !== 200) throw new Error(`creating a session: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body as CreateSessionResponse
    },
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}
