import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { CreateSessionOptions, CreateSessionResponse } from '../../src/contract.ts'
import { compileCache } from './compile-cache.ts'
import type { Answer } from './lab.ts'

/** A server in a separate process. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string
  readonly apiKey: string
  readonly pid: number
  readonly kill: (signal: NodeJS.Signals) => void
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  readonly api: (method: string, path: string, body?: unknown) => Promise<Answer>
  readonly create: (options?: CreateSessionOptions) => Promise<CreateSessionResponse>
  /** Log output so far. */
  readonly log: () => string
}

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const labKey = 'lab-key-0123456789abcdef'

/** Starts `bowline serve` on a free port with the given data directory. Disposing kills it. */
export async function startServerProcess(options: {
  readonly dataDir: string
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}): Promise<ServerProcess> {
  const apiKey = options.env?.['BOWLINE_API_KEY'] ?? labKey
  const args = ['serve', '--port', '0', '--data-dir', options.dataDir, '--allow', '127.0.0.1', '--warm', '0', '--json']
  const child = spawn(process.execPath, [main, ...args, ...(options.flags ?? [])], {
    env: {
      PATH: process.env['PATH'],
      // Contains the template of an empty store, which takes seconds to create.
      HOME: homedir(),
      NODE_COMPILE_CACHE: compileCache,
      BOWLINE_API_KEY: labKey,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString()
  })
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })
  const [first] = (await Promise.race([
    once(child.stdout, 'data'),
    exited.then(({ code }) => Promise.reject(new Error(`bowline serve exited with ${code}: ${log}`))),
  ])) as [Buffer]
  const { url } = JSON.parse(first.toString()) as { url: string }
  const api: ServerProcess['api'] = async (method, path, body) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] }
  }
  return {
    url,
    apiKey,
    pid: child.pid!,
    kill: (signal) => child.kill(signal),
    exited,
    api,
    create: async (body = {}) => {
      const answer = await api('POST', '/v2/browser', body)
      if (answer.status !== 200) throw new Error(`creating a session: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body as CreateSessionResponse
    },
    log: () => log,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
