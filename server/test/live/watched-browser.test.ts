import { expect, test } from 'vitest'
import { PageFocus } from '../../src/cdp/page-focus.ts'
import { routePipe } from '../../src/cdp/router.ts'
import type { ServerMessage } from '../../src/live/server-message.ts'
import type { Viewer } from '../../src/live/viewer.ts'
import { WatchedBrowser } from '../../src/live/watched-browser.ts'
import type { CdpIncoming } from '../cdp/channel-client.ts'

/** Opens a watched browser whose pipe the test writes to. */
async function watchBrowser() {
  let say = (_message: CdpIncoming): void => {}
  const router = routePipe({
    send: (text) => {
      const { id } = JSON.parse(text) as { id: number }
      queueMicrotask(() => say({ id, result: { sessionId: 'S' } }))
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
  const watched = await WatchedBrowser.open({
    browser: { router },
    focus,
    handoffs: { open: [], end: () => false, onChange: () => () => undefined },
    touch: () => undefined,
    refuse: () => undefined,
    onError: (error) => {
      throw error
    },
  })
  say({ method: 'Target.attachedToTarget', params: { sessionId: 'S', targetInfo: { targetId: 'B' } } })
  const openTab = (id: string): void =>
    say({
      method: 'Target.targetCreated',
      params: { targetInfo: { targetId: id, type: 'page', title: '', url: 'about:blank' } },
      sessionId: 'S',
    })
  return { watched, openTab, focus }
}

test('a viewer gets few lists of the tabs that a page opens at once, and that a client switches between', async () => {
  const { watched, openTab, focus } = await watchBrowser()
  const updates: (readonly string[])[] = []
  const all = Promise.withResolvers<void>()
  const viewer = {
    notify: (message: ServerMessage) => {
      if (message.type !== 'tabs') return
      updates.push(message.tabs.map(({ id }) => id))
      if (message.tabs.length === 101) all.resolve()
    },
    forgetFrames: () => undefined,
    isVisible: false,
  } as unknown as Viewer
  watched.join(viewer)

  for (let tab = 0; tab <= 100; tab += 1) {
    openTab(`T${tab}`)
    focus.set(`T${tab}`)
  }

  await all.promise
  expect(updates.length).toBeLessThan(5)
  watched.leave(viewer)
  await watched[Symbol.asyncDispose]()
})
