import { chromium, type Browser, type Page } from 'playwright-core'
import { Bowline } from '../../src/index.ts'
import { playwright } from '../../src/playwright.ts'
import { browserPaths } from '../lab/browser-paths.ts'
import { startBenchServer } from './bench-server.ts'
import { atMost, type BenchGroup, type Figure } from './group.ts'
import { median, quantile } from './samples.ts'
import { startSlowProxy, type SlowNetwork } from './slow-network.ts'

/** A viewer and its network. */
interface Case {
  readonly name: string
  readonly network?: SlowNetwork
  /** Device pixels by CSS pixel of the viewer's screen. Default: 1. */
  readonly deviceScaleFactor?: number
  /** Whether a second viewer watches on loopback. */
  readonly isShared?: boolean
  /** Bound on the median, in milliseconds. */
  readonly aimMs?: number
}

const cases: readonly Case[] = [
  { name: 'loopback', aimMs: 150 },
  { name: 'high-density screen', deviceScaleFactor: 2, aimMs: 150 },
  { name: 'two viewers', isShared: true, aimMs: 150 },
  { name: '200 ms, 300 kbit/s', network: { delayMs: 100, kilobitsPerSecond: 300 } },
]

/** Time between keys of a person who types. */
const keyMs = 180

/** Keys that are not measured, while the quality adapts to the network. */
const warmUpKeys = 60

/**
 * A page with about as much text and colour as a news page. Each key turns the block in the corner
 * from black to white or back.
 */
const html = `<body style="margin:0;font:15px/1.5 sans-serif"><div id="block"
  style="position:fixed;left:0;top:0;width:80px;height:80px;background:#000"></div>
  <main style="margin-left:90px;columns:3"></main><script>
  const words = 'harbour rope knot mast sail anchor tide wind deck crane hull keel berth buoy'.split(' ')
  const word = (at) => words[(at * 7919) % words.length]
  for (let part = 0; part < 14; part += 1) {
    const title = document.createElement('h2')
    const text = document.createElement('p')
    title.textContent = word(part) + ' ' + word(part + 3)
    title.style.background = 'linear-gradient(90deg, hsl(' + part * 37 + ' 70% 60%), hsl(' + part * 61 + ' 60% 80%))'
    text.textContent = Array.from({ length: 60 }, (_, at) => word(part * 60 + at)).join(' ')
    document.querySelector('main').append(title, text)
  }
  let count = 0
  addEventListener('keydown', () => {
    count += 1
    document.querySelector('#block').style.background = count % 2 === 1 ? '#fff' : '#000'
  })</script>`

/** Measures in the viewer's page the time from a key event to the frame that shows its effect. */
const measureInViewer = `let onLatency
  window.nextLatency = () => new Promise((resolve) => { onLatency = resolve })
  let pressedMs
  let wanted
  let isWhite = false
  const draw = CanvasRenderingContext2D.prototype.drawImage
  CanvasRenderingContext2D.prototype.drawImage = function (...args) {
    draw.apply(this, args)
    const [red] = this.getImageData(this.canvas.width / 32, this.canvas.height / 18, 1, 1).data
    isWhite = red > 127
    if (pressedMs === undefined || isWhite !== wanted) return
    const startMs = pressedMs
    pressedMs = undefined
    requestAnimationFrame(() => onLatency(performance.now() - startMs))
  }
  document.querySelector('#keys').addEventListener('keydown', () => {
    pressedMs = performance.now()
    wanted = !isWhite
  }, true)`

async function pressKey(viewer: Page): Promise<number> {
  const latency = viewer.evaluate<number>('nextLatency()')
  await viewer.keyboard.press('x')
  const latencyMs = await latency
  await viewer.waitForTimeout(keyMs * Math.random())
  return latencyMs
}

async function openViewer(browser: Browser, viewUrl: string, deviceScaleFactor = 1): Promise<Page> {
  const viewer = await browser.newPage({ viewport: { width: 1280, height: 860 }, deviceScaleFactor })
  await viewer.goto(viewUrl, { timeout: 60_000 })
  await viewer.waitForSelector('body[data-phase=live]')
  return viewer
}

async function measure(viewer: Page, keys: number): Promise<readonly number[]> {
  await viewer.evaluate(measureInViewer)
  await viewer.click('#canvas', { position: { x: 700, y: 400 } })
  const latencies: number[] = []
  while (latencies.length < warmUpKeys + keys) latencies.push(await pressKey(viewer))
  return latencies.slice(warmUpKeys)
}

async function run(keys: number): Promise<readonly Figure[]> {
  await using server = await startBenchServer({ browser: 'shell', warm: 1 })
  await using bowline = new Bowline({ baseUrl: server.url, apiKey: server.apiKey, reaper: false })
  await using undo = new AsyncDisposableStack()
  const browser = await chromium.launch({ executablePath: browserPaths.shell, args: ['--no-sandbox'] })
  undo.defer(async () => browser.close())
  const figures: Figure[] = []
  for (const { name, network, deviceScaleFactor, isShared, aimMs } of cases) {
    const session = await bowline.sessions.create({ ttl: 600 })
    await using handles = await playwright.connect(session)
    await handles.page.setContent(html)
    const url = new URL(session.interactiveLiveViewUrl)
    await using proxy = network && (await startSlowProxy(url, network))
    if (proxy !== undefined) url.port = String(proxy.port)
    const other = isShared === true ? await openViewer(browser, session.liveViewUrl) : undefined
    const viewer = await openViewer(browser, url.href, deviceScaleFactor)
    const samples = await measure(viewer, keys)
    for (const each of [viewer, other]) await each?.close()
    const aim = aimMs === undefined ? {} : { aim: atMost(aimMs) }
    figures.push({ name: `${name}: median`, unit: 'ms', ours: median(samples), ...aim })
    figures.push({ name: `${name}: 95 %`, unit: 'ms', ours: quantile(samples, 0.95) })
    await bowline.sessions.delete(session.id)
  }
  return figures
}

/** Time from a key in the live view to the picture of its effect. */
export const group: BenchGroup = {
  name: 'live-latency',
  about: 'time from a key in the live view to the frame that shows its effect',
  run: async ({ isQuick, rounds, progress }) => {
    const keys = rounds ?? (isQuick ? 20 : 100)
    progress(`  ${keys} keys in each of ${cases.length} cases`)
    return run(keys)
  },
}
