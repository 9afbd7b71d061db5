// Entry point of a worker thread, as PGlite blocks its thread for the duration of each query.
import { fsyncSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { Client, DatabaseError, type QueryConfig, type QueryResult } from 'pg'
import { columnTypes, valueTypes } from './column-types.ts'
import type { ErrorFields, StatementResult, ThreadOptions, ThreadReply, ThreadRequest } from './pglite-message.ts'
import { PgliteStream } from './pglite-stream.ts'

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
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
  })
}

/** Connects a client. Its environment must not decide how. */
async function connect(stream: PgliteStream): Promise<Client> {
  const client = new Client({ stream: () => stream, user: 'postgres', database: 'postgres', ssl: false })
  // A crash of the database also rejects the statement that is running.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

function toQuery({
  sql: text,
  parameters,
  keepsJson,
}: Extract<ThreadRequest, { readonly kind: 'query' }>): QueryConfig {
  return { text, values: [...parameters], types: keepsJson ? columnTypes : valueTypes }
}

function toResult({ command, rowCount, rows }: QueryResult): StatementResult {
  return { command, rowCount: rowCount ?? 0, rows }
}

function toFields(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { message: String(error) }
  const { code, detail, hint, table, column, constraint } = error as Partial<ErrorFields>
  return { message: error.message, code, detail, hint, table, column, constraint }
}

/** Whether PostgreSQL has ended, or will end, after an error. */
function isFatal(error: unknown): boolean {
  return error instanceof DatabaseError && (error.severity === 'PANIC' || error.severity === 'FATAL')
}

async function main(): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  const reply = (message: ThreadReply): void => parentPort?.postMessage(message)
  const lite = await open(workerData as ThreadOptions)
  const stream = new PgliteStream(lite)
  const client = await connect(stream)

  const run = async (request: ThreadRequest): Promise<readonly StatementResult[]> => {
    switch (request.kind) {
      case 'query':
        return [toResult(await client.query(toQuery(request)))]
      case 'exec':
        // An array for several statements, which the types leave out.
        return [(await client.query(request.sql)) as QueryResult | QueryResult[]].flat().map(toResult)
      case 'close':
        await client.query('checkpoint')
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
          if (isFatal(error) || stream.destroyed) process.exit(1)
        },
      )
  })
  reply({ kind: 'ready' })
}

await main()
