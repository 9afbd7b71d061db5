import { expect, test } from 'vitest'
import { startSlowNetwork } from '../../../test/lab/slow-network.ts'
import { expectColour, openLiveViewFixture } from './live-view-fixture.ts'

/** Draws noise, which compresses badly, and a field to type into. `stop()` leaves only green. */
const noise = `
  <body style="margin:0"><canvas width="200" height="100" style="display:block"></canvas><input style="width:500px">
  <script>
    const canvas = document.querySelector('canvas')
    const context = canvas.getContext('2d')
    const image = context.createImageData(canvas.width, canvas.height)
    const values = new Uint32Array(image.data.buffer)
    let drawn = 0
    const timer = setInterval(() => {
      for (let index = 0; index < values.length; index += 1) values[index] = 0xff000000 | (Math.random() * 0xffffff)
      context.putImageData(image, 0, 0)
      drawn += 1
    }, 50)
    const stop = () => {
      clearInterval(timer)
      context.fillStyle = '#00ff00'
      context.fillRect(0, 0, 200, 100)
      return drawn
    }
  </script>`

/** Most frames that a viewer has not acknowledged, and one that waits for them. */
const maxOldFrames = 4

test('on a slow network, keys arrive in order and the newest picture is shown without a backlog', async () => {
  await using fixture = await openLiveViewFixture()
  await using network = await startSlowNetwork(fixture.lab.server.url, { delayMs: 200, bitsPerSecond: 300_000 })
  await using watched = await fixture.openTestPage('/blocks')
  const { page, session } = watched
  await using view = await fixture.openView(session.interactiveLiveViewUrl)
  let frames = 0
  const seen = Promise.withResolvers<void>()
  view.page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (typeof payload === 'string') return
      frames += 1
      if (frames === 6) seen.resolve()
    }),
  )
  await view.page.goto(network.through(session.interactiveLiveViewUrl ?? ''))
  await view.page.waitForSelector('body[data-phase=live]')
  await page.setContent(noise)
  const text = 'The quick brown fox jumps over 13 lazy dogs, twice.'

  await view.click(page, 'input')
  await view.page.keyboard.type(text)
  await expect.poll(() => page.inputValue('input'), { timeout: 10_000 }).toBe(text)
  await seen.promise
  const drawn = await page.evaluate<number>('stop()')
  const before = frames
  await expectColour(view, [100, 50], [0, 255, 0])

  expect(drawn).toBeGreaterThan(frames)
  expect(frames - before).toBeLessThanOrEqual(maxOldFrames)
})
