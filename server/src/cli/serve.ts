import { constants } from 'node:os'
import { styleText } from 'node:util'
import { createFreshSignalTest } from 'bowline/kit/fresh-signals'
import { startConfigured, type RunningServer } from '../app.ts'
import { readConfig, type ServerConfig } from '../config.ts'
import { packageVersion } from '../version.ts'
import { keepCompilerSmall } from './small-compiler.ts'

/** Flags of `bowline serve`, named as the settings of the server. */
export type ServeFlags = Parameters<typeof readConfig>[0] & { readonly json?: boolean | undefined }

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** A terminal that is closed sends SIGHUP, which would end the process at once. */
const signals: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Milliseconds that a start may take to stop after a signal. */
const abandonMs = 10_000

/** Runs a server until a signal, or until it cannot go on. Resolves to the exit code. A second signal exits at once. */
export async function serve({ json, ...flags }: ServeFlags): Promise<number> {
  const config = readConfig(flags)
  // Heard from the first moment on: a signal during the start must not leave browsers behind.
  const stop = firstSignal()
  keepCompilerSmall()
  const server = await startUnlessStopped(config, stop)
  if (server === undefined) return 0
  process.stdout.write(json === true ? `${JSON.stringify(announcement(server))}\n` : greeting(server, config))
  const end = await Promise.race([stop, server.failed])
  if (end instanceof Error)
    process.stderr.write(`${styleText('red', 'The server cannot go on:', { stream: process.stderr })} ${end.message}\n`)
  else if (json !== true) process.stdout.write(`${end}: ending every session. Once more to exit at once.\n`)
  await server[Symbol.asyncDispose]()
  return end instanceof Error ? 1 : 0
}

/** Starts the server; undefined when a signal came before it had started. */
async function startUnlessStopped(config: ServerConfig, stop: Promise<Signal>): Promise<RunningServer | undefined> {
  const stopping = new AbortController()
  void stop.then((signal) => {
    stopping.abort(signal)
    setTimeout(() => process.exit(128 + constants.signals[signal]), abandonMs).unref()
  })
  try {
    return await startConfigured(config, { signal: stopping.signal })
  } catch (error) {
    if (error !== stopping.signal.reason) throw error
    process.stderr.write(`${String(error)}: stopped before the server had started\n`)
    return undefined
  }
}

async function firstSignal(): Promise<Signal> {
  return new Promise((resolve) => {
    let isStopping = false
    const isFresh = createFreshSignalTest()
    const onSignal = (signal: Signal): void => {
      if (!isFresh(signal)) return
      if (isStopping) process.exit(128 + constants.signals[signal])
      isStopping = true
      resolve(signal)
    }
    for (const signal of signals) process.on(signal, onSignal)
  })
}

/** What `--json` prints: one line. */
function announcement(server: RunningServer): object {
  return {
    url: server.url,
    pid: process.pid,
    version: packageVersion,
    dataDir: server.config.dataDir,
    ...(server.isNewKey ? { apiKey: server.apiKey } : {}),
    isKeyRevoked: server.isKeyRevoked,
    retiredKeys: server.retiredKeys,
    browser: server.browser,
    store: server.storeKind,
    maxSessions: server.maxSessions,
    layers: server.layers,
    recovered: server.recovered,
  }
}

function describeKey(server: RunningServer, config: ServerConfig): string {
  if (server.isNewKey) {
    return `${styleText('bold', server.apiKey)}  (created now and shown this once; stored in ${config.dataDir}/api-key)`
  }
  const where = config.apiKey === undefined ? `in ${config.dataDir}/api-key` : 'as configured'
  if (!server.isKeyRevoked) return where
  const remedy = config.apiKey === undefined ? 'delete that file to get a new one' : 'start with another --api-key'
  return `${where}, but ${styleText('yellow', 'revoked and refused')}; use another admin key, or ${remedy}`
}

function greeting(server: RunningServer, config: ServerConfig): string {
  const line = (name: string, text: string): string => `  ${styleText('dim', name.padEnd(10))} ${text}\n`
  const { kind, version, path } = server.browser
  return [
    `${styleText('bold', `Bowline ${packageVersion}`)} listens at ${styleText('cyan', server.url)}\n`,
    line('API key', describeKey(server, config)),
    ...server.retiredKeys.map((prefix) =>
      line('', `the former bootstrap key ${prefix}… no longer works: no running server is configured with it`),
    ),
    line('browser', `${kind === 'shell' ? 'headless shell' : 'Chromium'} ${version} (${path})`),
    line('store', server.storeKind === 'pglite' ? `embedded, in ${config.dataDir}` : 'PostgreSQL'),
    server.storeKind === 'postgres' && config.blobs === undefined
      ? line('files', `in ${config.dataDir}, for this server alone: several servers need the same --blobs`)
      : '',
    line('sessions', `at most ${server.maxSessions} at once, ${config.warm} browsers kept warm`),
    ...server.layers.map(({ name, state, detail }, index) =>
      line(
        index === 0 ? 'isolation' : '',
        `${state === 'on' ? styleText('green', 'on ') : styleText('yellow', 'off')} ${name}: ${detail}`,
      ),
    ),
    line('dashboard', `${config.publicUrl ?? server.url}/`),
    line('docs', `${config.publicUrl ?? server.url}/docs`),
    server.recovered > 0 ? line('recovered', `${server.recovered} sessions of an earlier run ended and billed`) : '',
  ].join('')
}
