import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BrowserHost } from '../../src/browsers/host.ts'
import { launchBrowser } from '../../src/browsers/launch.ts'
import { startSite } from '../../../test/lab/site.ts'
import { openBrowserFixture } from './browser-fixture.ts'

const watch = { quietMs: 100, responseTimeoutMs: 1000 }

describe('a browser whose main process', () => {
  let host: BrowserHost
  beforeAll(async () => {
    host = await openBrowserFixture()
  })
  afterAll(async () => host[Symbol.asyncDispose]())

  test('hangs is killed, and the time without a response is known', async () => {
    await using browser = await launchBrowser(host, { watch })

    process.kill(-browser.pid, 'SIGSTOP')

    expect(await browser.exited).toMatchObject({ signal: 'SIGKILL' })
    expect(browser.unresponsiveMs()).toBeGreaterThanOrEqual(2000)
  })

  test('responds is kept while its page is stuck in a call or messages are paused', async () => {
    await using site = await startSite({ '/never': () => undefined })
    await using stuck = await launchBrowser(host, { watch })
    await using paused = await launchBrowser(host, { watch })
    const { sessionId } = await stuck.router.call('Target.attachToTarget', {
      targetId: stuck.parkedTargetId,
      flatten: true,
    })
    // Blocks the thread of the page as an endless script does, without its processor time.
    const expression = `{ const call = new XMLHttpRequest(); call.open('GET', '${site.url('/never')}', false); call.send() }`
    stuck.router
      .callIn(sessionId)('Runtime.evaluate', { expression })
      .catch(() => undefined)
    await site.requests.waitFor('/never')
    paused.router.pause()
    let gone = 0
    for (const { exited } of [stuck, paused]) void exited.then(() => (gone += 1))

    // Longer than the time after which a hung browser is killed.
    await sleep(3000)

    expect(gone).toBe(0)
    expect([stuck.unresponsiveMs(), paused.unresponsiveMs()]).toEqual([0, 0])
    paused.router.resume()
  })
})
