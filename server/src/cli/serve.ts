import { serverRoutes } from 'bowline/contract/server-routes'
import { constants } from 'node:os'
import { styleText } from 'node:util'
import { printError } from 'bowline/terminal/print'
import { countOf } from 'bowline/kit/count-of'
import { createSignalDebounce } from 'bowline/kit/signal-debounce'
import { startConfigured, type RunningServer } from '../app.ts'
import { readConfig, threadPoolEnvironment, type ServerConfig } from '../config.ts'
import { isInstalled } from '../kit/optional-package.ts'
import { enlargeThreadPool } from '../kit/thread-pool.ts'
import { packageVersion } from '../version.ts'
import { limitWasmCompiler } from './limit-wasm-compiler.ts'

/** Flags of `bowline serve`, keyed as the settings of the server. */
export type ServeFlags = Parameters<typeof readConfig>[0] & { readonly json?: boolean | undefined }

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Closing a terminal sends SIGHUP, which would otherwise kill the process. */
const signals: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Milliseconds that an interrupted start gets to clean up before the process exits. */
const startupAbortMs = 10_000

/**
 * Runs a server until a signal or a fatal error. Resolves to the exit code. A second signal exits
 * at once.
 */
export async function serve({ json, ...flags }: ServeFlags): Promise<number> {
  enlargeThreadPool(threadPoolEnvironment())
  const config = readConfig(flags)
  // Handles signals before the start, so that an interrupted start leaves no browsers behind.
  const stopSignal = listenForStop()
  limitWasmCompiler()
  const server = await startUnlessStopped(config, stopSignal)
  if (server === undefined) return 0
  process.stdout.write(json === true ? `${JSON.stringify(describeServer(server))}\n` : formatBanner(server, config))
  const end = await Promise.race([stopSignal, server.failed])
  if (end instanceof Error) printError(end, { json: json === true })
  else if (json !== true) process.stdout.write(`${end}: ending all sessions. Send it again to exit at once.\n`)
  await server[Symbol.asyncDispose]()
  return end instanceof Error ? 1 : 0
}

/** Starts the server. Resolves to undefined if a signal arrives before it has started. */
async function startUnlessStopped(
  config: ServerConfig,
  stopSignal: Promise<Signal>,
): Promise<RunningServer | undefined> {
  const startAbort = new AbortController()
  let isStarting = true
  let exitTimer: NodeJS.Timeout | undefined
  void stopSignal.then((signal) => {
    if (!isStarting) return
    startAbort.abort(signal)
    exitTimer = setTimeout(() => process.exit(128 + constants.signals[signal]), startupAbortMs)
  })
  try {
    return await startConfigured(config, { signal: startAbort.signal })
  } catch (error) {
    if (error !== startAbort.signal.reason) throw error
    process.stderr.write(`${String(error)}: stopped before the server was ready\n`)
    return undefined
  } finally {
    isStarting = false
    clearTimeout(exitTimer)
  }
}

async function listenForStop(): Promise<Signal> {
  return new Promise((resolve) => {
    let isStopping = false
    const isFresh = createSignalDebounce()
    const onSignal = (signal: Signal): void => {
      if (!isFresh(signal)) return
      if (isStopping) process.exit(128 + constants.signals[signal])
      isStopping = true
      resolve(signal)
    }
    for (const signal of signals) process.on(signal, onSignal)
  })
}

/** Builds the output of `--json`. */
function describeServer(server: RunningServer): object {
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

function describeKey(server: RunningServer, config: Pick<ServerConfig, 'apiKey' | 'dataDir'>): string {
  if (server.isNewKey) {
    return `${styleText('bold', server.apiKey)}  (new; shown only once; stored in ${config.dataDir}/api-key)`
  }
  const where =
    config.apiKey === undefined ? `in ${config.dataDir}/api-key` : 'as set with --api-key or BOWLINE_API_KEY'
  if (!server.isKeyRevoked) return where
  const remedy = config.apiKey === undefined ? 'delete that file to create a new one' : 'start with another --api-key'
  return `${where}, but ${styleText('yellow', 'revoked and refused')}; use another admin key, or ${remedy}`
}

/** Without its optional package, the page with the API reference responds with 501. */
function describeDocs(url: string): string {
  const uiPackage = '@fastify/swagger-ui'
  if (isInstalled(uiPackage)) return `${url}${serverRoutes.apiReference.path}`
  return `${url}${serverRoutes.openApi.path}; for a page to read and try the API: npm install ${uiPackage}`
}

function formatBanner(server: RunningServer, config: ServerConfig): string {
  const line = (name: string, text: string): string => `  ${styleText('dim', name.padEnd(10))} ${text}\n`
  const { kind, version, path } = server.browser
  return [
    `${styleText('bold', `Bowline ${packageVersion}`)} listens at ${styleText('cyan', server.url)}\n`,
    line('API key', describeKey(server, config)),
    ...server.retiredKeys.map((prefix) =>
      line('', `the previous bootstrap key ${prefix}… is retired: no running server is configured with it`),
    ),
    line('browser', `${kind === 'shell' ? 'headless shell' : 'Chromium'} ${version} (${path})`),
    line('store', server.storeKind === 'pglite' ? `embedded, in ${config.dataDir}` : 'PostgreSQL'),
    server.storeKind === 'postgres' && config.blobs === undefined
      ? line('files', `in ${config.dataDir}, for this server only: several servers need the same --blobs`)
      : '',
    line('sessions', `at most ${server.maxSessions} at once, ${config.warm} browsers kept warm`),
    ...server.layers.map(({ name, state, detail }, index) =>
      line(
        index === 0 ? 'isolation' : '',
        `${state === 'on' ? styleText('green', 'on ') : styleText('yellow', 'off')} ${name}: ${detail}`,
      ),
    ),
    line('dashboard', `${config.publicUrl ?? server.url}/`),
    line('docs', describeDocs(config.publicUrl ?? server.url)),
    server.recovered > 0
      ? line('recovered', `ended and billed ${countOf(server.recovered, 'session')} of the previous run`)
      : '',
  ].join('')
}
