import { expect, test } from 'vitest'
import { PageFocus } from '../../src/cdp/page-focus.ts'
import { routePipe } from '../../src/cdp/router.ts'
import type { Handoff } from '../../src/handoff/handoffs.ts'
import type { ServerMessage } from '../../src/live/server-message.ts'
import type { Viewer } from '../../src/live/viewer.ts'
import { WatchedBrowser } from '../../src/live/watched-browser.ts'
import type { CdpIncoming } from '../cdp/channel-client.ts'

/**
 * Opens a watched browser whose pipe the test writes to. Its pages respond to no input, or with an
 * error.
 */
async function watchBrowser({ refusesInput = false } = {}) {
  const errors: unknown[] = []
  let say = (_message: CdpIncoming): void => {}
  const sent: string[] = []
  const router = routePipe({
    send: (text) => {
      const { id, method } = JSON.parse(text) as { id: number; method: string }
      sent.push(text)
      if (!method.startsWith('Input.')) queueMicrotask(() => say({ id, result: { sessionId: 'S' } }))
      else if (refusesInput) queueMicrotask(() => say({ id, error: { code: -32_602, message: 'Invalid parameters' } }))
      return true
    },
    onMessage: (listener) => {
      say = (message) => listener(Buffer.from(JSON.stringify(message)))
    },
    onDrain: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    closed: new Promise(() => undefined),
    close: () => undefined,
  })
  const focus = new PageFocus()
  const handoffs = new TestHandoffs()
  const watched = await WatchedBrowser.open({
    browser: { router },
    focus,
    handoffs,
    touch: () => undefined,
    refuse: () => undefined,
    onError: (error) => {
      errors.push(error)
      throw error
    },
  })
  say({ method: 'Target.attachedToTarget', params: { sessionId: 'S', targetInfo: { targetId: 'B' } } })
  const openTab = (id: string, url = 'about:blank'): void =>
    say({
      method: 'Target.targetCreated',
      params: { targetInfo: { targetId: id, type: 'page', title: '', url } },
      sessionId: 'S',
    })
  const countOf = (method: string): number => sent.filter((text) => text.includes(`"${method}"`)).length
  return { watched, openTab, focus, handoffs, sent, countOf, errors }
}

class TestHandoffs {
  readonly open: Handoff[] = []
  onOpen = (): void => undefined

  end(): boolean {
    return false
  }

  onChange(listener: (handoff: Handoff) => void): () => void {
    this.onOpen = () => this.open.forEach(listener)
    return () => undefined
  }
}

/** A viewer that keeps what it receives. */
function collectMessages(onMessage: (message: ServerMessage) => void = () => undefined) {
  const messages: ServerMessage[] = []
  const notify = (message: ServerMessage): void => {
    messages.push(message)
    onMessage(message)
  }
  const viewer = { notify, forgetFrames: () => undefined, isVisible: false, isInteractive: false } as unknown as Viewer
  return { viewer, messages }
}

test('a viewer gets few lists of the tabs that a page opens at once, and that a client switches between', async () => {
  const { watched, openTab, focus } = await watchBrowser()
  const all = Promise.withResolvers<void>()
  const { viewer, messages } = collectMessages((message) => {
    if (message.type === 'tabs' && message.tabs.length === 101) all.resolve()
  })
  watched.join(viewer)

  for (let tab = 0; tab <= 100; tab += 1) {
    openTab(`T${tab}`)
    focus.set(`T${tab}`)
  }

  await all.promise
  expect(messages.filter(({ type }) => type === 'tabs').length).toBeLessThan(5)
  watched.leave(viewer)
  await watched[Symbol.asyncDispose]()
})

test('a viewer does not see user names and passwords of URLs', async () => {
  const { watched, openTab, errors } = await watchBrowser()
  const { viewer, messages } = collectMessages()

  openTab('T', 'https://joe:hush@example.com/a@b')
  watched.join(viewer)

  expect(messages.find(({ type }) => type === 'tabs')).toMatchObject({ tabs: [{ url: 'https://example.com/a@b' }] })
  watched.leave(viewer)
  await watched[Symbol.asyncDispose]()
  expect(errors).toEqual([])
})

test('input that the browser refuses is not reported as an error of the server', async () => {
  const { watched, openTab, countOf, errors } = await watchBrowser({ refusesInput: true })
  const { viewer } = collectMessages()
  openTab('T')
  watched.join(viewer)
  const message = { type: 'compose', text: '', start: 2 ** 40, end: 2 ** 40 } as const

  watched.handleInput(viewer, message, 100)

  await expect.poll(() => countOf('Input.imeSetComposition')).toBe(1)
  await new Promise(setImmediate)
  expect(errors).toEqual([])
  watched.leave(viewer)
  await watched[Symbol.asyncDispose]()
})

test('a viewer gets few lists of hand-offs that a client starts at once, each with at most 100', async () => {
  const { watched, handoffs } = await watchBrowser()
  const listed = Promise.withResolvers<number>()
  const { viewer, messages } = collectMessages((message) => {
    if (message.type === 'handoffs' && message.handoffs.length > 1) listed.resolve(message.handoffs.length)
  })
  watched.join(viewer)

  for (let index = 0; index < 200; index += 1) {
    handoffs.open.push({ id: `${index}`, targetId: `T${index}`, instructions: '' } as Handoff)
    handoffs.onOpen()
  }

  expect(await listed.promise).toBe(100)
  expect(messages.filter(({ type }) => type === 'handoffs')).toHaveLength(2)
  await watched[Symbol.asyncDispose]()
})

test('a viewer that switches between tabs in a loop does not attach to them each time', async () => {
  const { watched, openTab, countOf } = await watchBrowser()
  const { viewer } = collectMessages()
  watched.join(viewer)
  openTab('T0')
  openTab('T1')

  for (let index = 0; index < 1000; index += 1) watched.show(viewer, `T${index % 2}`)

  await watched[Symbol.asyncDispose]()
  expect(countOf('Target.attachToTarget')).toBeLessThan(5)
})

test.each([
  ['small messages', 'x', 1000],
  ['long texts', 'x'.repeat(1_000_000), 15],
])('a page that hangs is not sent input without a limit: %s', async (_, text, most) => {
  const { watched, openTab, countOf } = await watchBrowser()
  const { viewer } = collectMessages()
  watched.join(viewer)
  openTab('T0')

  for (let index = 0; index < 1200; index += 1) watched.handleInput(viewer, { type: 'text', text }, text.length + 30)
  watched.handleInput(viewer, { type: 'reload' }, 20)

  await expect.poll(() => countOf('Page.reload')).toBe(1)
  expect(countOf('Input.insertText')).toBe(most)
  await watched[Symbol.asyncDispose]()
})
