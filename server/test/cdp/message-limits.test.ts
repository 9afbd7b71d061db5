import { expect, test } from 'vitest'
import type { CdpPipe } from '../../src/cdp/pipe.ts'
import type { CdpEvent } from '../../src/cdp/protocol.ts'
import { routePipe, type CdpRouter } from '../../src/cdp/router.ts'

const megabyte = 1_000_000

/** A router whose browser sends what the test says. */
function openRouter(): { readonly router: CdpRouter; readonly say: (message: string) => void } {
  let say = (_message: string): void => {}
  const pipe: CdpPipe = {
    send: () => true,
    onMessage: (listener) => {
      say = (message) => listener(Buffer.from(message))
    },
    onDrain: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    closed: new Promise(() => undefined),
    close: () => undefined,
  }
  return { router: routePipe(pipe), say: (message) => say(message) }
}

/** Not JSON, so that the test fails if it is parsed. */
function unparsable(start: string, bytes: number): string {
  return start + ' '.repeat(bytes - start.length)
}

test.each([
  ['Runtime.callFunctionOn', { functionDeclaration: '', returnByValue: true }, 4],
  ['Runtime.evaluate', { expression: '', returnByValue: true }, 4],
  ['DOM.describeNode', {}, 4],
  ['Runtime.evaluate', { expression: '' }, 128],
  ['Page.captureScreenshot', {}, 128],
] as const)('a result of %s with %j over %i MB is rejected without parsing it', async (method, params, limit) => {
  const { router, say } = openRouter()
  const called = router.call(method, params)

  say(unparsable('{"id":1,"result":', limit * megabyte + 1))

  await expect(called).rejects.toMatchObject({
    code: 'CDP_FAILED',
    message: expect.stringMatching(`^${method}: the result is .* MB, and the limit is ${limit} MB$`),
  })
  expect(router.isAwaited()).toBe(false)
})

test('a text of 20 million characters, each escaped as six, is read', async () => {
  const { router, say } = openRouter()
  const called = router.call('Runtime.evaluate', { expression: '' })

  say(`{"id":1,"result":{"result":{"type":"string","value":"${'\\u4e2d'.repeat(20 * megabyte)}"}}}`)

  expect(((await called).result.value as string).length).toBe(20 * megabyte)
})

test('a budget limits the sum of the results, including errors', async () => {
  const { router, say } = openRouter()
  const call = router.callIn('S', { bytes: 200 })
  const filler = 'x'.repeat(100)
  const [first, second, third] = [call('Page.enable'), call('Page.enable'), call('Page.enable')]

  say(`{"id":1,"result":{"x":"${filler}"}}`)
  say(`{"id":2,"error":{"code":1,"message":"${filler}"}}`)
  say('{"id":3,"result":{}}')

  expect(await first).toEqual({ x: filler })
  await expect(second).rejects.toThrow(/the result is .* and the limit is/)
  expect(await third).toEqual({})
})

test('events over 4 MB are dropped without parsing them', () => {
  const { router, say } = openRouter()
  const events: CdpEvent[] = []
  router.onEvent((event) => events.push(event))

  say(unparsable('{"method":"Runtime.consoleAPICalled","params":', 4 * megabyte + 1))
  say(unparsable('{"method":"Page.screencastFrame","params":', 16 * megabyte + 1))
  say(`{"method":"Page.screencastFrame","params":{"data":"${'x'.repeat(15 * megabyte)}"}}`)
  say('{"method":"Page.loadEventFired","params":{}}')

  expect(events.map(({ method }) => method)).toEqual(['Page.screencastFrame', 'Page.loadEventFired'])
})

test('an oversized event about a target ends the connection, since targets must not be missed', () => {
  const { say } = openRouter()

  expect(() => say(unparsable('{"method":"Target.targetInfoChanged","params":', 16 * megabyte + 1))).toThrow('target')
})

test.each(['targetCreated","params":{', 'attachedToTarget","params":{"sessionId":"0A",'])(
  'an oversized event %s about a worker, whose page chooses its name, is dropped',
  (start) => {
    const { say } = openRouter()
    const event = `{"method":"Target.${start}"targetInfo":{"targetId":"0A","type":"shared_worker","title":"`

    expect(() => say(unparsable(event, 16 * megabyte + 1))).not.toThrow()
  },
)
