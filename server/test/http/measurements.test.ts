import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { Measurements } from '../../src/http/measurements.ts'
import { Metrics } from '../../src/metrics/metrics.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Measurements of a server whose parts the test describes. */
async function measure(folder: string) {
  vi.useFakeTimers({ toFake: ['performance'] })
  const boot = { path: join(folder, 'run', 'boot'), runtimeDir: join(folder, 'run') }
  await mkdir(boot.path, { recursive: true })
  const state = {
    live: ['a'],
    warm: ['w'],
    ofSessions: ['a'],
    ofScrapes: [] as string[],
    contexts: 0,
    pids: [] as number[],
  }
  const metrics = new Metrics('1')
  const measurements = new Measurements({
    metrics,
    dataDir: folder,
    boot,
    blobs: { bytes: async () => 7 },
    browsers: { liveIds: () => state.live, warmIds: () => state.warm },
    sessions: {
      browserIds: () => state.ofSessions,
      list: () => state.pids.map((pid) => ({ browser: { pid } })) as never,
    },
    scrapes: { browserIds: () => state.ofScrapes, leakedContexts: async () => state.contexts },
  })
  const read = async (name: string): Promise<number> => {
    const text = await metrics.text()
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return Number(line?.slice(name.length))
  }
  /** Measures again a minute later. `contexts` differs each time, which shows when it is done. */
  const refresh = async (): Promise<void> => {
    vi.advanceTimersByTime(60_001)
    state.contexts += 1
    measurements.refresh()
    await expect.poll(async () => read('bowline_leaked_contexts')).toBe(state.contexts)
  }
  return { state, boot, read, refresh, measurements }
}

test('browsers and directories without an owner count as leaks from the second check on', async () => {
  await using folder = await temporaryFolder()
  const { state, boot, read, refresh } = await measure(folder.path)
  const leaks = async () => [await read('bowline_leaked_browsers'), await read('bowline_leaked_directories')]
  const found: (readonly number[])[] = [await leaks()]
  for (const id of ['a', 'w', 'gone']) await mkdir(join(boot.path, id))
  state.live = ['a', 'b', 's']
  state.ofScrapes = ['s']

  await refresh()
  found.push(await leaks())
  await refresh()
  found.push(await leaks())
  state.ofSessions = ['a', 'b']
  await rmdir(join(boot.path, 'gone'))
  await refresh()
  found.push(await leaks())

  expect(found).toEqual([
    [Number.NaN, Number.NaN],
    [0, 0],
    [1, 1],
    [0, 0],
  ])
})

test('a refresh within the interval measures nothing', async () => {
  await using folder = await temporaryFolder()
  const { state, read, refresh, measurements } = await measure(folder.path)
  await refresh()
  state.contexts = 99
  vi.advanceTimersByTime(30_000)

  measurements.refresh()

  // The check of leaks would need a turn of the event loop for each of its steps.
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  expect(await read('bowline_leaked_contexts')).toBe(1)
})

test('the data directory is measured by part, and blobs by their storage', async () => {
  await using folder = await temporaryFolder()
  const { boot, read, refresh } = await measure(folder.path)
  const write = async (path: string, bytes: number): Promise<void> =>
    writeFile(join(folder.path, path), Buffer.alloc(bytes))
  for (const name of ['pg', 'pg/base', 'blobs', 'ads']) await mkdir(join(folder.path, name))
  await write('pg/base/1', 1000)
  await write('blobs/x', 5000)
  await write('ads/list', 200)
  await write('server.json', 30)
  await writeFile(join(boot.path, 'cookies'), Buffer.alloc(400))

  await refresh()

  const sizeOf = async (part: string): Promise<number> => read(`bowline_data_dir_bytes{part="${part}"}`)
  await expect.poll(async () => sizeOf('database')).toBe(1000)
  expect([await sizeOf('blobs'), await sizeOf('browsers'), await sizeOf('other')]).toEqual([7, 400, 230])
})

test('the memory of live sessions is measured in turns of 16, and ended ones are left out', async () => {
  await using folder = await temporaryFolder()
  const { state, read, refresh } = await measure(folder.path)
  const firstUnused = 2 ** 22 + 1
  state.pids = [...Array.from({ length: 16 }, (_, index) => firstUnused + index), process.pid]

  await refresh()
  const first = await read('bowline_session_memory_bytes_count')

  expect(first).toBe(0)
  // The first measurement may still read the list of processes.
  await expect
    .poll(async () => {
      await refresh()
      return read('bowline_session_memory_bytes_count')
    })
    .toBeGreaterThan(0)
  expect(await read('bowline_session_memory_bytes_sum')).toBeGreaterThan(20e6)
})
