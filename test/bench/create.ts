import { startBenchServer, type BenchServer } from './bench-server.ts'
import { atMost, ratioAtMost, type BenchGroup, type BenchOptions, type Figure } from './group.ts'
import { quantile, timed } from './samples.ts'

const warm = 4

/** Sessions that are created at once: as many as the server allows. */
const burst = 50

/** Time to create and delete a session when a warm browser is available, and of a burst. */
export const group: BenchGroup = {
  name: 'create',
  about: 'POST /v2/browser with a warm pool, and DELETE, over a keep-alive connection; baseline: GET /livez',
  run: async (options) => {
    const { isQuick, rounds } = options
    await using server = await startBenchServer({ browser: 'shell', warm })
    const samples: Samples = { create: [], remove: [], livez: [] }
    await measureRound(server, { create: [], remove: [], livez: [] })
    for (let round = 0; round < (rounds ?? (isQuick ? 5 : 25)); round += 1) await measureRound(server, samples)
    const figure = (name: string, share: number, ours: readonly number[]): Figure => ({
      name: `${name}, p${share * 100}`,
      unit: 'ms',
      ours: quantile(ours, share),
      baseline: quantile(samples.livez, share),
    })
    return [
      { ...figure('create', 0.5, samples.create), aim: atMost(10) },
      figure('create', 0.99, samples.create),
      figure('delete', 0.5, samples.remove),
      figure('delete', 0.99, samples.remove),
      ...(await measureBurst(options)),
    ]
  },
}

/** Creates many sessions at once, most of which wait for the start of their browser. */
async function measureBurst({ isQuick }: BenchOptions): Promise<readonly Figure[]> {
  const count = isQuick ? burst / 5 : burst
  await using server = await startBenchServer({ browser: 'shell', warm: 2 })
  const samples: number[] = []
  const created = await Promise.allSettled(
    Array.from({ length: count }, async () => samples.push(await timed(async () => server.create()))),
  )
  const lost = created.filter(({ status }) => status === 'rejected').length
  return [
    {
      name: `create, ${count} at once, p95 against their median`,
      unit: 'ms',
      ours: quantile(samples, 0.95),
      baseline: quantile(samples, 0.5),
      aim: ratioAtMost(3),
    },
    { name: `create, ${count} at once, lost`, unit: 'sessions', ours: lost, baseline: count, aim: atMost(0) },
  ]
}

interface Samples {
  readonly create: number[]
  readonly remove: number[]
  readonly livez: number[]
}

/** Creates as many sessions as there are warm browsers, so that none waits for a start. */
async function measureRound(server: BenchServer, samples: Samples): Promise<void> {
  await server.untilWarm()
  const ids: string[] = []
  for (let index = 0; index < warm; index += 1) {
    samples.livez.push(await timed(async () => server.api('GET', '/livez')))
    samples.create.push(await timed(async () => ids.push((await server.create()).id)))
  }
  for (const id of ids) samples.remove.push(await timed(async () => server.api('DELETE', `/v2/browser/${id}`)))
}
