// Entry point of a worker thread, as PGlite blocks its thread for the duration of each query.
import { fsyncSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type Results } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import type { ErrorFields, StatementResult, ThreadOptions, ThreadReply, ThreadRequest } from './pglite-message.ts'

interface EmscriptenModule {
  readonly NODEFS: { readonly stream_ops: Record<string, unknown> }
}

/** NodeFS with fsync. Without it, commits survive a killed process but not a power failure. */
class SyncedFiles extends NodeFS {
  override async init(...parameters: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const result = await super.init(...parameters)
    const addSync = (module: EmscriptenModule): void => {
      module.NODEFS.stream_ops['fsync'] = (stream: { readonly nfd: number }): number => {
        fsyncSync(stream.nfd)
        return 0
      }
    }
    result.emscriptenOpts.preRun?.push(addSync)
    return result
  }
}

/** Type OIDs. */
const [int8, bytea, json, jsonb] = [20, 17, 114, 3802]

// Faster than PGlite's own conversions, which handle one byte at a time.
function readBytes(value: string): Uint8Array {
  return Buffer.from(value.slice(2), 'hex')
}
function writeBytes(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`
}

/** Keeps JSON columns as text. */
const textOfJson = { parsers: { [json]: String, [jsonb]: String } }

const settings = {
  fsync: 'on',
  // Emscripten's fdatasync is a no-op.
  wal_sync_method: 'fsync',
  max_wal_size: '64MB',
  min_wal_size: '32MB',
  shared_buffers: '16MB',
}

async function open({ folder }: ThreadOptions): Promise<PGlite> {
  return PGlite.create({
    fs: new SyncedFiles(folder),
    parsers: { [int8]: Number, [bytea]: readBytes },
    serializers: { [bytea]: writeBytes },
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
  })
}

function toResult({ command = '', rowCount = 0, rows }: Results): StatementResult {
  return { command, rowCount, rows }
}

function toFields(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, detail, hint, table, column, constraint } = error as Partial<ErrorFields>
  return { message: error.message, code, detail, hint, table, column, constraint }
}

/**
 * Whether the database is unusable after an error: a panic, or a crash of the WebAssembly runtime.
 */
function isFatal(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  if ('severity' in error) return error.severity === 'PANIC' || error.severity === 'FATAL'
  return error.name === 'RuntimeError'
}

async function main(): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  const reply = (message: ThreadReply): void => parentPort?.postMessage(message)
  const lite = await open(workerData as ThreadOptions)

  const run = async (request: ThreadRequest): Promise<readonly StatementResult[]> => {
    switch (request.kind) {
      case 'query':
        return [toResult(await lite.query(request.sql, [...request.parameters], request.keepsJson ? textOfJson : {}))]
      case 'exec':
        return (await lite.exec(request.sql)).map(toResult)
      case 'close':
        await lite.exec('checkpoint')
        await lite.close()
        return []
    }
    return request satisfies never
  }

  // Handles requests one at a time, so that `close` runs after all earlier ones.
  let last: Promise<unknown> = Promise.resolve()
  parentPort?.on('message', (request: ThreadRequest) => {
    last = last
      .then(() => run(request))
      .then(
        (results) => reply({ kind: 'result', id: request.id, results }),
        (error: unknown) => {
          reply({ kind: 'error', id: request.id, error: toFields(error) })
          if (isFatal(error) || lite.closed) process.exit(1)
        },
      )
  })
  reply({ kind: 'ready' })
}

await main()
