import { on, once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { Bowline, type CreateSessionOptions } from '../../../src/index.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** An animated page, so that the browser keeps sending frames for the video. */
const body = `<style>@keyframes grow { from { width: 9px } to { width: 400px } } hr { animation: grow 1s infinite alternate }</style><hr>
<button onclick="document.title = 'clicked'" style="position:fixed;right:9px;bottom:9px">Buy</button>`

/** Number of frames after the click. The video has fewer, because its rate is limited. */
const laterFrames = 4

/** A position near the lower right corner, in CSS pixels. */
const centreOfButton = `(() => {
  const { x, y, width, height } = document.querySelector('button').getBoundingClientRect()
  return JSON.stringify({ x: x + width / 2, y: y + height / 2 })
})()`

/** Clicks at a position in a live view once it has a frame. Resolves to the size of the frame. */
async function clickInLiveView(url: string, position: object): Promise<Size> {
  const socket = new WebSocket(url.replace('http', 'ws').replace('?', '/socket?'))
  const send = (message: object): void => socket.send(JSON.stringify(message))
  await once(socket, 'open')
  send({ type: 'viewport', isVisible: true, width: 1600, height: 1200 })
  const messages = on(socket, 'message')[Symbol.asyncIterator]() as AsyncIterator<[Buffer, boolean]>
  const nextFrame = async (): Promise<Buffer> => {
    const { value } = await messages.next()
    const [data, isBinary] = value as [Buffer, boolean]
    if (!isBinary) return nextFrame()
    send({ type: 'drawn', frame: data.readUInt32BE(8) })
    return data
  }
  const frame = await nextFrame()
  for (const action of ['move', 'down', 'up'] as const) {
    const button = action === 'move' ? 'none' : 'left'
    send({ type: 'mouse', action, ...position, button, buttons: action === 'down' ? 1 : 0, clicks: 1, modifiers: 0 })
  }
  for (let count = 0; count < laterFrames; count += 1) await nextFrame()
  socket.close()
  await once(socket, 'close')
  return { width: frame.readUInt16BE(2), height: frame.readUInt16BE(4) }
}

/** The size in the track of a WebM file. */
function sizeOfVideo(webm: Buffer): Size {
  const [, width = '', height = ''] =
    /b00100000000000008(.{16})ba0100000000000008(.{16})/.exec(webm.toString('hex', 0, 1000)) ?? []
  return { width: Number.parseInt(width, 16), height: Number.parseInt(height, 16) }
}

describe.each(['shell', 'chromium'] as const)('in %s', (browser) => {
  let lab: Lab
  let bowline: Bowline
  beforeAll(async () => {
    lab = await startLab({ browser })
    bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
  })
  afterAll(async () => {
    await bowline[Symbol.asyncDispose]()
    await lab[Symbol.asyncDispose]()
  })

  test.each([
    ['of its own', { width: 800, height: 600, deviceScaleFactor: 2 }],
    ['by default', undefined],
  ] as const)('live view and video have the size of a viewport %s', async (_name, viewport) => {
    const options: CreateSessionOptions = { ttl: 60, record: { video: true }, ...(viewport && { viewport }) }
    const session = await bowline.sessions.create(options)
    await using client = await connectCdp(session.cdpUrl)
    const page = await client.attachToPage()
    const evaluate = async (expression: string): Promise<string> =>
      (await client.call('Runtime.evaluate', { expression }, page)).result?.['result'].value as string
    await evaluate(`document.body.innerHTML = ${JSON.stringify(body)}`)
    // The default of full Chromium is a window of 1280x720, with a toolbar.
    const seen = JSON.parse(await evaluate('JSON.stringify({ width: innerWidth, height: innerHeight })')) as Size
    const position = JSON.parse(await evaluate(centreOfButton)) as object

    const size = await clickInLiveView(session.interactiveLiveViewUrl, position)

    expect(size).toEqual(seen)
    expect(seen).toMatchObject(viewport === undefined ? { width: 1280 } : { width: 800, height: 600 })
    await expect.poll(async () => evaluate('document.title')).toBe('clicked')
    await bowline.sessions.delete(session.id)
    const webm = Buffer.from(await new Response(await session.recordings.read('video.webm')).arrayBuffer())
    expect(sizeOfVideo(webm)).toEqual(viewport === undefined ? seen : { width: 960, height: 720 })
  })
})
