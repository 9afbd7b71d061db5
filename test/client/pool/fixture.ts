import { Bowline, type PoolOptions, type PoolRun } from '../../../src/index.ts'
import { startForeignService, type Answer, type ForeignService } from '../foreign-service.ts'

/** A service without browsers and its client: enough for what a pool decides. */
export interface PoolFixture extends AsyncDisposable {
  readonly service: ForeignService
  readonly bowline: Bowline
}

/** Starts the service. Its sessions cost 2 credits each. */
export async function startPoolFixture(answer?: Answer): Promise<PoolFixture> {
  const service = await startForeignService(answer)
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false, retries: 0 })
  return { service, bowline, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

/** Quick retries, for tests. */
export const quickly: PoolOptions['retries'] = { infrastructure: 3, delayMs: 1 }

/** The states and results of a run, in the order they came. */
export async function read(run: PoolRun<unknown, unknown>): Promise<readonly unknown[]> {
  return (await Array.fromAsync(run)).map((outcome) => (outcome.state === 'done' ? outcome.result : outcome.kind))
}
