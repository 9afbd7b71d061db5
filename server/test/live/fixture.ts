import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { BrowserHost } from '../../src/browsers/host.ts'
import { launchBrowser, type Browser } from '../../src/browsers/launch.ts'
import { attachToTarget } from '../../src/cdp/targets.ts'
import { PageFocus } from '../../src/cdp/page-focus.ts'
import { Handoffs } from '../../src/handoff/handoffs.ts'
import { LiveView } from '../../src/live/live-view.ts'
import { Viewers, type ViewableSession } from '../../src/live/viewers.ts'

/** A viewer without a window. Collects frames and acknowledges them. */
export interface BareViewer {
  readonly frames: readonly Buffer[]
  readonly send: (message: object) => void
  readonly leave: () => Promise<void>
}

/** A browser with one page whose frames are counted, and an endpoint for viewers. */
export interface Fixture extends AsyncDisposable {
  readonly browser: Browser
  /**
   * Connects a viewer. `drawMs` is the time it takes to draw a frame, Infinity for never.
   * Default: 0.
   */
  readonly join: (drawMs?: number) => Promise<BareViewer>
  /** Number of frames that the browser has sent. */
  readonly frames: () => number
  /** Number of frames that the browser sends in the given time. */
  readonly framesIn: (milliseconds: number) => Promise<number>
  /** Ends the session: its viewers stay connected until they have its bill. */
  readonly endSession: () => Promise<void>
  /** Names of all events that the server received. */
  readonly events: readonly string[]
  readonly errors: readonly unknown[]
  readonly evaluate: (expression: string) => Promise<unknown>
}

/** Opens a browser that shows `html`. */
export async function openFixture(host: BrowserHost, html: string): Promise<Fixture> {
  await using undo = new AsyncDisposableStack()
  const browser = undo.use(await launchBrowser(host))
  const fixture = undo.use(await showPage(browser, html))
  const opened = undo.move()
  return { ...fixture, [Symbol.asyncDispose]: async () => opened.disposeAsync() }
}

/** Shows `html` in a running browser that has its own endpoint. */
export async function showPage(browser: Browser, html: string): Promise<Fixture> {
  await using undo = new AsyncDisposableStack()
  const { router } = browser
  let frameCount = 0
  const events: string[] = []
  undo.defer(
    router.onEvent(({ method }) => {
      events.push(method)
      if (method === 'Page.screencastFrame') frameCount += 1
    }),
  )
  const page = undo.use(await attachToTarget(router, browser.parkedTargetId))
  await page.call('Page.navigate', { url: `data:text/html,${encodeURIComponent(html)}` })
  const focus = new PageFocus()
  focus.set(browser.parkedTargetId)
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const ended = new AbortController()
  const handoffs = new Handoffs({ browser, focus, ended: ended.signal, suspendIdle: () => () => undefined })
  const liveView = undo.use(
    new LiveView({
      session: {
        browser,
        focus,
        handoffs,
        ended: ended.signal,
        touch: () => undefined,
        mask: { applyToJson: (value) => value },
      },
      refuse: () => undefined,
      onError,
    }),
  )
  const session: ViewableSession = {
    row: { id: 'session-1', teamId: 'team-1' },
    liveView,
    ageMs: () => 0,
    ended: ended.signal,
  }
  const viewers = undo.use(new Viewers({ billedRow: async () => undefined, onError }))
  const server = createServer()
  server.on('upgrade', (request, socket, head) => {
    viewers.connect(session, 'view', { request, socket: socket as Socket, head })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.defer(() => void server.close())
  const { port } = server.address() as AddressInfo
  const opened = undo.move()
  return {
    browser,
    join: async (drawMs = 0) => connectViewer(port, drawMs),
    frames: () => frameCount,
    endSession: async () => {
      ended.abort('deleted')
      await liveView[Symbol.asyncDispose]()
    },
    events,
    errors,
    framesIn: async (milliseconds: number) => {
      const before = frameCount
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      return frameCount - before
    },
    evaluate: async (expression: string) => page.call('Runtime.evaluate', { expression }),
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}

async function connectViewer(port: number, drawMs: number): Promise<BareViewer> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  const frames: Buffer[] = []
  socket.on('message', (data, isBinary) => {
    if (!isBinary) return
    frames.push(data as Buffer)
    const drawn = JSON.stringify({ type: 'drawn', frame: (data as Buffer).readUInt32BE(8) })
    if (drawMs === 0) socket.send(drawn)
    else if (drawMs !== Infinity) setTimeout(() => socket.send(drawn), drawMs).unref()
  })
  await once(socket, 'open')
  return {
    frames,
    send: (message: object) => socket.send(JSON.stringify(message)),
    leave: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
