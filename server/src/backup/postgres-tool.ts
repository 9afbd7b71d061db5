import { spawn } from 'node:child_process'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BowlineError } from 'bowline/kit/errors'
import { splitDatabaseUrl } from '../kit/database-url.ts'

/** Programs of the PostgreSQL client. */
type ToolName = 'pg_dump' | 'pg_restore' | 'psql'

/** Longest error text of a program that is kept, in characters. */
const maxErrorText = 4000

/** Options of `runPostgresTool`. */
interface ToolOptions {
  readonly args: readonly string[]
  /** Environment variables, such as `PATH`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Database to connect to. Default: none. */
  readonly databaseUrl?: string | undefined
  /** Standard input. Default: empty. */
  readonly input?: Readable | undefined
}

/**
 * Starts a program of the PostgreSQL client and returns its output, which fails if the program
 * fails: with PACKAGE_MISSING if it is not installed, else with STORE_FAILED and its error text.
 */
export function runPostgresTool(name: ToolName, { args, environment, databaseUrl, input }: ToolOptions): Readable {
  const connection = databaseUrl === undefined ? { args: [], env: {} } : connectionOf(databaseUrl)
  const child = spawn(name, [...args, ...connection.args], {
    env: { ...environment, ...connection.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-maxErrorText)
  })
  const output = new PassThrough()
  const exited = new Promise<void>((resolve, reject) => {
    child.once('error', (cause) => reject(startFailure(name, cause)))
    child.once('close', (code) => (code === 0 ? resolve() : reject(exitFailure(name, errors, code))))
  })
  // Programs that fail close their input early. Their exit code has the reason.
  const feeding = input === undefined ? child.stdin.end() : pipeline(input, child.stdin)
  Promise.all([exited, pipeline(child.stdout, output, { end: false }), feeding]).then(
    () => output.end(),
    async (error: unknown) =>
      output.destroy(
        toError(
          await exited.then(
            () => error,
            (failure: unknown) => failure,
          ),
        ),
      ),
  )
  output.once('close', () => child.kill())
  return output
}

/**
 * Splits a database URL into the argument and the environment of a program. Arguments are visible
 * to other users of the machine, so the password is in the environment.
 */
function connectionOf(databaseUrl: string): { readonly args: readonly string[]; readonly env: Record<string, string> } {
  // Programs of PostgreSQL choose among several hosts themselves, but the URL cannot be parsed.
  const [url, ...others] = (splitDatabaseUrl(databaseUrl) ?? [databaseUrl]).map((each) => new URL(each))
  if (url === undefined) throw new Error('The database URL is empty')
  const password = decodeURIComponent(url.password) || (url.searchParams.get('password') ?? '')
  url.password = ''
  url.searchParams.delete('password')
  if (others.length > 0) {
    const urls = [url, ...others]
    url.searchParams.set('host', urls.map(hostOf).join(','))
    url.searchParams.set('port', urls.map(({ port }) => port || '5432').join(','))
    url.searchParams.set('target_session_attrs', 'read-write')
  }
  return { args: [`--dbname=${url.href}`], env: password === '' ? {} : { PGPASSWORD: password } }
}

function hostOf({ hostname, searchParams }: URL): string {
  return searchParams.get('host') ?? hostname.replace(/^\[(.*)\]$/, '$1')
}

function toError(error: unknown): Error {
  return Error.isError(error) ? error : new Error(String(error))
}

function startFailure(name: ToolName, cause: NodeJS.ErrnoException): BowlineError {
  if (cause.code !== 'ENOENT')
    return new BowlineError('STORE_FAILED', `${name} cannot be started: ${cause.message}`, { cause })
  return new BowlineError('PACKAGE_MISSING', `${name} is not installed. Backups of PostgreSQL need it`, {
    cause,
    hint: 'Install the client of PostgreSQL, in the major version of the database or a newer one: on Debian, `apt-get install postgresql-client`.',
  })
}

function exitFailure(name: ToolName, errors: string, code: number | null): BowlineError {
  const isTooOld = errors.includes('server version mismatch')
  return new BowlineError('STORE_FAILED', `${name} failed: ${errors.trim() || `exit code ${code}`}`, {
    ...(isTooOld && { hint: `Install ${name} in the major version of the database or a newer one.` }),
  })
}
