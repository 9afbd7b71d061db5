import { createServer } from 'node:http'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startPostgres, type LabPostgres } from './postgres.ts'
import { warmUp } from './warm-up.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /**
     * URL that responds with the connection string of the shared PostgreSQL. Starts it on first
     * use.
     */
    readonly postgresBroker: string
    /** Folder for files that live as long as a process of the run. Removed at the end. */
    readonly runFolder: string
  }
}

/**
 * Provides all test files with a folder and with one PostgreSQL, started on first use. Both are
 * gone at the end.
 */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  await warmUp()
  const runFolder = await mkdtemp(join(tmpdir(), 'bowline-run-'))
  project.provide('runFolder', runFolder)
  let starting: Promise<LabPostgres> | undefined
  const broker = createServer((_request, response) => {
    starting ??= startPostgres()
    starting.then(
      (postgres) => response.end(postgres.url()),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  broker.listen(0, '127.0.0.1')
  await once(broker, 'listening')
  project.provide('postgresBroker', `http://127.0.0.1:${(broker.address() as AddressInfo).port}`)
  return async () => {
    broker.closeAllConnections()
    broker.close()
    const postgres = await starting?.catch(() => undefined)
    await postgres?.[Symbol.asyncDispose]()
    await rm(runFolder, { recursive: true, force: true, maxRetries: 5 })
  }
}
