import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { BrowserHost } from '../../src/browsers/host.ts'
import { launchBrowser, type Browser } from '../../src/browsers/launch.ts'
import type { CdpMethod } from '../../src/cdp/protocol.ts'
import { openBrowserFixture } from '../browsers/browser-fixture.ts'
import { openChannelClient } from './channel-client.ts'

let host: BrowserHost
let browser: Browser

beforeAll(async () => {
  host = await openBrowserFixture()
})
afterAll(async () => host[Symbol.asyncDispose]())
beforeEach(async () => {
  browser = await launchBrowser(host)
})
afterEach(async () => browser.close())

const attach = { flatten: true }

test('responses to a client do not contain its internal session id', async () => {
  await using client = await openChannelClient(browser.router)

  const answer = await client.call('Browser.getVersion')

  expect(answer.result?.['product']).toBe(browser.version)
  expect(answer).not.toHaveProperty('sessionId')
})

test('two clients with the same command ids receive their own responses', async () => {
  await using one = await openChannelClient(browser.router)
  await using other = await openChannelClient(browser.router)

  const [first, second] = await Promise.all([one.call('Browser.getVersion'), other.call('Target.getTargets')])

  expect(first.id).toBe(second.id)
  expect(first.result).toHaveProperty('product')
  expect(second.result).toHaveProperty('targetInfos')
})

test('an event is sent only to the client that owns its session', async () => {
  await using one = await openChannelClient(browser.router)
  await using other = await openChannelClient(browser.router)
  const cdpSessionId = await one.attach(browser.parkedTargetId)
  await one.call('Page.enable', {}, cdpSessionId)

  await one.call('Page.navigate', { url: 'data:text/html,hello' }, cdpSessionId)
  await one.nextEvent('Page.loadEventFired')
  await other.call('Browser.getVersion')

  expect(other.messages.filter(({ method }) => method !== undefined)).toEqual([])
})

test('a client cannot use the session of another client', async () => {
  await using one = await openChannelClient(browser.router)
  await using other = await openChannelClient(browser.router)
  const cdpSessionId = await one.attach(browser.parkedTargetId)

  expect(other.channel.includes(cdpSessionId)).toBe(false)
  expect(other.channel.send({ id: 99, method: 'Runtime.enable', sessionId: cdpSessionId })).toBe('unknown-session')
  expect(one.channel.send({ id: 99, method: 'Runtime.enable', sessionId: 'F'.repeat(32) })).toBe('unknown-session')
})

test('a client cannot detach the session of another client', async () => {
  await using one = await openChannelClient(browser.router)
  await using other = await openChannelClient(browser.router)
  const cdpSessionId = await one.attach(browser.parkedTargetId)

  const refusal = await other.call('Target.detachFromTarget', { sessionId: cdpSessionId })
  const answer = await one.call('Runtime.evaluate', { expression: '1 + 1' }, cdpSessionId)

  expect(refusal.error?.message).toContain('No session')
  expect(answer.result?.['result']).toMatchObject({ value: 2 })
})

test('a child session belongs to the client of its parent session', async () => {
  await using client = await openChannelClient(browser.router)
  const page = await client.attach(browser.parkedTargetId)
  await client.call('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, ...attach }, page)

  await client.call('Runtime.evaluate', { expression: `worker = new Worker('data:text/javascript,x=41')` }, page)
  const { params } = await client.nextEvent('Target.attachedToTarget', page)
  const worker = String(params?.['sessionId'])

  expect(client.channel.includes(worker)).toBe(true)
  expect((await client.call('Runtime.evaluate', { expression: '1 + 1' }, worker)).result?.['result']).toMatchObject({
    value: 2,
  })
})

test('sessions below a detached one are announced as detached, and are unknown', async () => {
  await using client = await openChannelClient(browser.router)
  const page = await client.attach(browser.parkedTargetId)
  await client.call('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }, page)
  await client.call('Runtime.evaluate', { expression: 'void new Worker("data:text/javascript,")' }, page)
  const worker = String((await client.nextEvent('Target.attachedToTarget', page)).params?.['sessionId'])
  expect(client.channel.includes(worker)).toBe(true)

  await client.call('Target.detachFromTarget', { sessionId: page })

  const detached = client.messages.filter(({ method }) => method === 'Target.detachedFromTarget')
  expect(detached.map(({ params }) => params?.['sessionId'])).toEqual([worker, page])
  expect(client.channel.includes(worker)).toBe(false)
})

test('a detached session is unknown', async () => {
  await using client = await openChannelClient(browser.router)
  const cdpSessionId = await client.attach(browser.parkedTargetId)

  await client.call('Target.detachFromTarget', { sessionId: cdpSessionId })

  expect(client.channel.send({ id: 99, method: 'Runtime.enable', sessionId: cdpSessionId })).toBe('unknown-session')
})

test('closing a client does not affect the page or other clients', async () => {
  await using stays = await openChannelClient(browser.router)
  const leaves = await openChannelClient(browser.router)
  const kept = await stays.attach(browser.parkedTargetId)
  const left = await leaves.attach(browser.parkedTargetId)

  await leaves[Symbol.asyncDispose]()

  expect(leaves.channel.send({ id: 99, method: 'Runtime.enable', sessionId: left })).toBe('unknown-session')
  expect((await stays.call('Runtime.evaluate', { expression: '1 + 1' }, kept)).result).toBeDefined()
})

test('the server receives events alongside clients', async () => {
  await using client = await openChannelClient(browser.router)
  const { sessionId: cdpSessionId } = await browser.router.call('Target.attachToTarget', {
    targetId: browser.parkedTargetId,
    ...attach,
  })
  const loaded = Promise.withResolvers<string | undefined>()
  const stop = browser.router.onEvent((event) => {
    if (event.method === 'Page.loadEventFired') loaded.resolve(event.sessionId)
  })
  await browser.router.callIn(cdpSessionId)('Page.enable')

  const page = await client.attach(browser.parkedTargetId)
  await client.call('Page.navigate', { url: 'data:text/html,hello' }, page)

  expect(await loaded.promise).toBe(cdpSessionId)
  stop()
})

test('a response of 50 MB arrives complete', async () => {
  await using client = await openChannelClient(browser.router)
  const cdpSessionId = await client.attach(browser.parkedTargetId)
  const expression = `'x'.repeat(50 * 1024 * 1024)`

  const answer = await client.call('Runtime.evaluate', { expression, returnByValue: true }, cdpSessionId)

  expect((answer.result!['result'] as { value: string }).value).toHaveLength(50 * 1024 * 1024)
})

test('no events are lost while reading is paused', async () => {
  await using client = await openChannelClient(browser.router)
  const cdpSessionId = await client.attach(browser.parkedTargetId)
  await client.call('Runtime.enable', {}, cdpSessionId)
  const count = 2000

  const done = client.call(
    'Runtime.evaluate',
    { expression: `for (let i = 0; i < ${count}; i++) console.log(i, 'y'.repeat(1000))` },
    cdpSessionId,
  )
  browser.router.pause()
  const whilePaused = client.messages.length
  setTimeout(() => browser.router.resume(), 300)
  await done
  const logged = client.messages
    .filter(({ method }) => method === 'Runtime.consoleAPICalled')
    .map(({ params }) => (params!['args'] as { value: unknown }[])[0]?.value)

  expect(whilePaused).toBeLessThan(count)
  expect(logged).toEqual(Array.from({ length: count }, (_, index) => index))
})

test('a failed command of the server rejects with its method and the reason', async () => {
  await expect(browser.router.call('Nothing.such' as string as CdpMethod)).rejects.toMatchObject({
    code: 'CDP_FAILED',
    message: expect.stringMatching(/^Nothing\.such: .*wasn't found/),
  })
})

test('pending and later calls are rejected when the browser is killed', async () => {
  const { sessionId: cdpSessionId } = await browser.router.call('Target.attachToTarget', {
    targetId: browser.parkedTargetId,
    flatten: true,
  })
  const never = { expression: 'new Promise(() => {})', awaitPromise: true }
  const waiting = browser.router.callIn(cdpSessionId)('Runtime.evaluate', never)
  const rejected = expect(waiting).rejects.toMatchObject({ code: 'CDP_FAILED' })

  process.kill(browser.pid, 'SIGKILL')

  await rejected
  await expect(browser.router.call('Browser.getVersion')).rejects.toMatchObject({ code: 'CDP_FAILED' })
})
