import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserHost } from '../../server/src/browsers/host.ts'
import { groupMembers } from '../../server/src/browsers/process-table.ts'
import { openBrowserFixture } from '../../server/test/browsers/browser-fixture.ts'
import type { BenchGroup, Figure } from './group.ts'
import { openFixture, type BareViewer, type Fixture } from '../../server/test/live/fixture.ts'

/** A row of the result. `ratio` compares with the same page without a viewer, in the same run. */
interface LiveRow {
  readonly browser: 'shell' | 'chromium'
  readonly page: 'moving' | 'still'
  readonly viewers: string
  /** Frames per second that reached the first viewer. */
  readonly framesPerSecond: number
  readonly kilobytesPerFrame: number
  /** Processor time of the browser with all its processes, in percent of one core. */
  readonly browserCpuPercent: number
  readonly ratio: number | undefined
  /** Processor time of this process: the shares of the server and of the viewers. */
  readonly serverCpuPercent: number
}

interface Case {
  readonly viewers: string
  /** Time that each viewer takes to draw a frame, in milliseconds. */
  readonly drawMs: readonly number[]
}

const cases: readonly Case[] = [
  { viewers: 'none', drawMs: [] },
  { viewers: 'one', drawMs: [5] },
  { viewers: 'two', drawMs: [5, 5] },
  { viewers: 'one slow', drawMs: [300] },
]

const pages = {
  moving: `<body style="margin:0"><canvas width="1280" height="720"></canvas><script>
    const context = document.querySelector('canvas').getContext('2d')
    const draw = (time) => {
      for (let x = 0; x < 1280; x += 80) for (let y = 0; y < 720; y += 80) {
        context.fillStyle = 'hsl(' + ((x + y + time / 10) % 360) + ' 60% 50%)'
        context.fillRect(x, y, 80, 80)
      }
      requestAnimationFrame(draw)
    }
    draw(0)</script>`,
  still: '<h1>Nothing moves here</h1>',
} as const

const rounds = 3
const roundMs = 2000
const warmUpMs = 700
const ticksPerSecond = 100

/** Measures frames and CPU time with and without viewers, interleaved. */
async function run(browsers: readonly LiveRow['browser'][], times: number): Promise<readonly LiveRow[]> {
  const rows: LiveRow[] = []
  for (const browser of browsers) {
    await using host = await openBrowserFixture(browser)
    for (const page of ['moving', 'still'] as const) rows.push(...(await measurePage(host, { browser, page }, times)))
  }
  return rows
}

async function measurePage(
  host: BrowserHost,
  { browser, page }: Pick<LiveRow, 'browser' | 'page'>,
  times: number,
): Promise<readonly LiveRow[]> {
  await using fixture = await openFixture(host, pages[page])
  const samples = cases.map((): Sample[] => [])
  // Interleaved, so that other load affects all of them alike.
  for (let round = 0; round < times; round += 1) {
    for (const [index, { drawMs }] of cases.entries()) samples[index]?.push(await measure(fixture, drawMs))
  }
  const results = samples.map(middle)
  const alone = results[0]?.browserCpuPercent ?? 0
  return results.map((sample, index) =>
    Object.assign({ browser, page, viewers: cases[index]?.viewers ?? '' }, sample, {
      // A static page uses too little to compare with.
      ratio: alone < 1 ? undefined : round(sample.browserCpuPercent / alone),
    }),
  )
}

type Sample = Omit<LiveRow, 'browser' | 'page' | 'viewers' | 'ratio'>

async function measure(fixture: Fixture, drawMs: readonly number[]): Promise<Sample> {
  const viewers: BareViewer[] = []
  for (const each of drawMs) viewers.push(await fixture.join(each))
  await sleep(warmUpMs)
  const first = viewers[0]?.frames ?? []
  const [framesBefore, cpuBefore, ownBefore] = [first.length, cpuOf(fixture.browser.pid), process.cpuUsage()]
  const startedAt = performance.now()
  await sleep(roundMs)
  const seconds = (performance.now() - startedAt) / 1000
  const own = process.cpuUsage(ownBefore)
  const taken = first.slice(framesBefore)
  const browserSeconds = cpuOf(fixture.browser.pid) - cpuBefore
  for (const viewer of viewers) await viewer.leave()
  const bytes = taken.reduce((sum, frame) => sum + frame.length, 0)
  return {
    framesPerSecond: round(taken.length / seconds),
    kilobytesPerFrame: round(bytes / 1000 / Math.max(1, taken.length)),
    browserCpuPercent: round((browserSeconds / seconds) * 100),
    serverCpuPercent: round((own.user + own.system) / 10_000 / seconds),
  }
}

/** Seconds of processor time that a browser and its processes have used. */
function cpuOf(pid: number): number {
  const ticks = groupMembers(pid).map((member) => {
    const fields = readFileSync(`/proc/${member}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond
}

/** The median sample by the CPU time of the browser. */
function middle(samples: readonly Sample[]): Sample {
  return samples.toSorted((left, right) => left.browserCpuPercent - right.browserCpuPercent)[
    samples.length >> 1
  ] as Sample
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Cost of live view viewers. */
export const group: BenchGroup = {
  name: 'live',
  about: 'frames per second and CPU time of a viewed page; baseline: the same page without a viewer',
  run: async ({ isQuick, progress }) => {
    progress(`  ${isQuick ? 1 : rounds} rounds of a moving and a static page`)
    return (await run(['shell'], isQuick ? 1 : rounds)).flatMap(toFigures)
  },
}

function toFigures(row: LiveRow, _index: number, rows: readonly LiveRow[]): readonly Figure[] {
  const alone = rows.find(({ page, viewers }) => page === row.page && viewers === 'none')
  const name = `${row.page} page, viewers: ${row.viewers}`
  const isMeasurable = row.ratio !== undefined && alone !== undefined && row !== alone
  const cpu = {
    name: `${name}: browser`,
    unit: '% of a core',
    ours: row.browserCpuPercent,
    ...(isMeasurable ? { baseline: alone.browserCpuPercent } : {}),
  }
  if (row === alone) return [cpu]
  return [cpu, { name: `${name}: frames`, unit: '1/s', ours: row.framesPerSecond }]
}
