import { Bowline, type PoolOptions, type PoolRun } from '../../../src/index.ts'
import { startForeignService, type Answer, type ForeignService } from '../foreign-service.ts'

/** Service without browsers and its client, for tests of pool decisions. */
export interface PoolFixture extends AsyncDisposable {
  readonly service: ForeignService
  readonly bowline: Bowline
}

/** Starts the service. Each of its sessions costs 2 credits. */
export async function startPoolFixture(answer?: Answer): Promise<PoolFixture> {
  const service = await startForeignService(answer)
  const bowline = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false, retries: 0 })
  return { service, bowline, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

/** Fast retries for tests. */
export const quickly: PoolOptions['retries'] = { infrastructure: 3, delayMs: 1 }

/** Returns the states and results of a run in order of arrival. */
export async function read(run: PoolRun<unknown, unknown>): Promise<readonly unknown[]> {
  return (await Array.fromAsync(run)).map((outcome) => (outcome.state === 'done' ? outcome.result : outcome.kind))
}
