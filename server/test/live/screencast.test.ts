import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser, type Browser } from '../../src/browsers/launch.ts'
import { Screencast } from '../../src/cdp/screencast.ts'
import { openBrowserFixture } from '../browsers/browser-fixture.ts'
import { showPage } from './fixture.ts'

const undo = new AsyncDisposableStack()
let browser: Browser
beforeAll(async () => {
  const host = undo.use(await openBrowserFixture())
  browser = undo.use(await launchBrowser(host))
})
afterAll(async () => undo.disposeAsync())

const moving = `<style>@keyframes turn { to { rotate: 360deg } } div { width: 100px; height: 100px; margin: 100px;
  background: teal; animation: turn 1s linear infinite }</style><div></div>`

test('the browser captures no frames before the first viewer and after the last one', async () => {
  await using fixture = await showPage(browser, moving)

  const before = await fixture.framesIn(500)
  const [first, second] = [await fixture.join(), await fixture.join()]
  await expect.poll(fixture.frames).toBeGreaterThan(3)
  await first.leave()
  await expect.poll(async () => fixture.framesIn(300)).toBeGreaterThan(0)
  await second.leave()
  await expect.poll(async () => fixture.framesIn(300)).toBe(0)

  expect(before).toBe(0)
  expect(await fixture.framesIn(700)).toBe(0)
  expect(fixture.errors).toEqual([])
})

test('the browser captures no frames once the live view is closed with its session', async () => {
  await using fixture = await showPage(browser, moving)
  const viewer = await fixture.join()
  await expect.poll(fixture.frames).toBeGreaterThan(3)

  await fixture.endSession()
  await expect.poll(async () => fixture.framesIn(300)).toBe(0)
  viewer.send({ type: 'show', tab: null })

  expect(await fixture.framesIn(300)).toBe(0)
  expect(fixture.errors).toEqual([])
})

test('two viewers share the frames of one screencast', async () => {
  await using fixture = await showPage(browser, moving)
  const [first, second] = [await fixture.join(), await fixture.join()]
  await expect.poll(() => second.frames.length).toBeGreaterThan(3)

  const [taken, firstBefore, secondBefore] = [fixture.frames(), first.frames.length, second.frames.length]
  const inASecond = await fixture.framesIn(1000)

  expect(taken).toBeGreaterThan(0)
  expect(inASecond).toBeLessThan(45)
  expect(Math.abs(first.frames.length - firstBefore - inASecond)).toBeLessThan(6)
  expect(Math.abs(second.frames.length - secondBefore - inASecond)).toBeLessThan(6)
})

test('a static page causes no frames until it changes', async () => {
  await using fixture = await showPage(browser, '<h1>Still</h1>')
  const viewer = await fixture.join()
  await expect.poll(() => viewer.frames.length).toBeGreaterThan(0)
  // The first frames adapt to the size of the viewer's window.
  await expect.poll(async () => fixture.framesIn(700)).toBe(0)

  const eventsBefore = fixture.events.length
  const atRest = await fixture.framesIn(1500)
  const eventsAtRest = fixture.events.length - eventsBefore
  await fixture.evaluate(`document.body.style.background = 'teal'`)

  expect(atRest).toBe(0)
  expect(eventsAtRest).toBe(0)
  await expect.poll(fixture.frames).toBeGreaterThan(1)
})

test('a hidden viewer stops the screencast, which resumes when the viewer is visible', async () => {
  await using fixture = await showPage(browser, moving)
  const viewer = await fixture.join()
  await expect.poll(fixture.frames).toBeGreaterThan(3)

  viewer.send({ type: 'viewport', isVisible: false, width: 800, height: 600 })
  await expect.poll(async () => fixture.framesIn(300)).toBe(0)
  viewer.send({ type: 'viewport', isVisible: true, width: 800, height: 600 })

  await expect.poll(async () => fixture.framesIn(300)).toBeGreaterThan(3)
})

test('a viewer that does not read receives no more frames and does not delay others', async () => {
  await using fixture = await showPage(browser, moving)
  const stuck = await fixture.join(Infinity)
  const quick = await fixture.join()

  await expect.poll(() => quick.frames.length).toBeGreaterThan(10)

  expect(stuck.frames.length).toBeLessThanOrEqual(2)
  await quick.leave()
  await expect.poll(async () => fixture.framesIn(300)).toBe(0)
})

test('frames are scaled to the size of the viewer', async () => {
  await using fixture = await showPage(browser, moving)
  const viewer = await fixture.join()

  viewer.send({ type: 'viewport', isVisible: true, width: 320, height: 320 })

  const widths = () => viewer.frames.map((frame) => frame.subarray(12)).map(jpegWidth)
  await expect.poll(() => widths().at(-1)).toBeLessThanOrEqual(320)
})

/** The width in the start-of-frame marker of a JPEG. */
function jpegWidth(image: Buffer): number {
  for (let at = 2; at < image.length; at += 2 + image.readUInt16BE(at + 2)) {
    const marker = image.readUInt8(at + 1)
    if (marker >= 0xc0 && marker <= 0xc2) return image.readUInt16BE(at + 7)
  }
  return 0
}

test('a slow connection receives smaller frames, and a sharp one once the page is static', async () => {
  await using fixture = await showPage(browser, moving)
  const viewer = await fixture.join(400)
  const isWebp = (frame: Buffer | undefined) => frame?.toString('latin1', 12, 16) === 'RIFF'

  await expect.poll(() => isWebp(viewer.frames.at(-1))).toBe(true)
  await fixture.evaluate(`document.querySelector('div').style.animation = 'none'`)

  await expect.poll(() => isWebp(viewer.frames.at(-1))).toBe(false)
})

test('a viewer with a frame interval receives fewer frames, and the browser captures fewer', async () => {
  await using fixture = await showPage(browser, moving)
  const viewer = await fixture.join()
  viewer.send({ type: 'viewport', isVisible: true, width: 320, height: 200, minFrameIntervalMs: 400 })
  await expect.poll(() => viewer.frames.length).toBeGreaterThan(1)

  const before = viewer.frames.length
  const taken = await fixture.framesIn(2000)

  // Chromium has up to three frames in flight, and sends them without further acknowledgement.
  expect(taken).toBeLessThan(16)
  expect(viewer.frames.length - before).toBeGreaterThan(0)
  expect(viewer.frames.length - before).toBeLessThan(7)
})

test('a repeated image is not a new frame, unless the page has another size', () => {
  const sizes: (readonly [number, number])[] = []
  const cast = new Screencast({
    call: async () => ({}),
    qualities: [],
    onFrame: ({ width, height }) => void sizes.push([width, height]),
    isFrameWanted: () => false,
    onError: () => undefined,
  })
  const receive = (deviceWidth: number): void => {
    const metadata = { deviceWidth, deviceHeight: 400, offsetTop: 0, pageScaleFactor: 1 }
    cast.receive({ data: 'AAAA', sessionId: 1, metadata: { ...metadata, scrollOffsetX: 0, scrollOffsetY: 0 } })
  }

  for (const width of [600, 600, 800, 800]) receive(width)

  expect(sizes).toEqual([
    [600, 400],
    [800, 400],
  ])
})

test('hiding the page after the end of a screencast leaves no timer', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const never = async () => ({})
  const cast = new Screencast({
    call: never,
    qualities: [],
    onFrame: () => undefined,
    isFrameWanted: () => false,
    onError: () => undefined,
  })
  const before = timers()

  cast.setHidden(true)
  const whileHidden = timers()
  cast.end()
  cast.setHidden(true)

  expect([whileHidden, timers()]).toEqual([before + 1, before])
})
