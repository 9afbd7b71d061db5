import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CreateSessionResponse } from '../../../src/contract.ts'
import { playwright } from '../../../src/playwright.ts'
import { puppeteer } from '../../../src/puppeteer.ts'
import { connectCdp, type CdpMessage, type CdpSocket } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let session: CreateSessionResponse
let client: CdpSocket
let page: string
let targetId: string
beforeAll(async () => {
  lab = fixture.use(await startLab())
  session = await lab.createSession()
  client = fixture.use(await connectCdp(session.cdpUrl))
  page = await client.attachToPage()
  targetId = String((await client.call('Target.getTargetInfo', {}, page)).result?.['targetInfo'].targetId)
})
beforeEach(async () => {
  await client.call('Runtime.evaluate', { expression: html('<input><p>text</p>') }, page)
})
afterAll(async () => fixture.disposeAsync())

function html(content: string): string {
  return `document.body.innerHTML = ${JSON.stringify(content)}; document.querySelector('input')?.focus()`
}

const evaluate = async (expression: string): Promise<unknown> =>
  (await client.call('Runtime.evaluate', { expression }, page)).result?.['result'].value
const typed = async (): Promise<unknown> => evaluate(`document.querySelector('input').value`)
const hasInput = (text: string) => ['Input.insertText', { text }, page] as const
const completions = (handoffId: unknown, of = client): readonly CdpMessage[] =>
  of.events.filter(
    ({ method, params }) => method === 'Cloudflare.handoffComplete' && params?.['handoffId'] === handoffId,
  )

describe('over CDP, a hand-off', () => {
  test('is answered at once, and is reported on every session of the page when the client ends it', async () => {
    const other = await client.attachToPage()
    const { result } = await client.call('Cloudflare.handoff', { instructions: 'Sign in' }, page)
    const handoffId: unknown = result?.['handoffId']
    const open = await client.call('Cloudflare.getHandoffState', {}, other)

    const ended = await client.call('Cloudflare.handoffComplete', { success: false, reason: 'No password' }, other)
    const closed = await client.call('Cloudflare.getHandoffState', {}, page)

    expect(result).toEqual({ targetId, handoffId: expect.any(String) as string })
    expect(open.result).toMatchObject({ active: true, handoffId, instructions: 'Sign in', timeout: 1_800_000 })
    expect(ended.result).toEqual({})
    expect(closed.result).toEqual({ active: false })
    const params = { targetId, handoffId, instructions: 'Sign in', success: false, reason: 'No password' }
    expect(completions(handoffId)).toEqual(
      [page, other].map((sessionId) => ({ method: 'Cloudflare.handoffComplete', params, sessionId })),
    )
    await client.call('Target.detachFromTarget', { sessionId: other })
  })

  test('lets input wait, in order, while other commands work', async () => {
    await client.call('Cloudflare.handoff', { targetId })
    const waiting = ['a', 'b', 'c'].map(async (text) => client.call(...hasInput(text)))
    const during = await typed()

    await client.call('Cloudflare.handoffComplete', { targetId })
    const outcomes = await Promise.all(waiting)

    expect(during).toBe('')
    expect(outcomes.map(({ result }) => result)).toEqual([{}, {}, {}])
    expect(await typed()).toBe('abc')
  })

  test('lets commands fail that would use the page, if asked to, but not those that close dialogs', async () => {
    const { result } = await client.call('Cloudflare.handoff', { input: 'fail' }, page)
    const methods = [
      'Input.insertText',
      'Input.dispatchMouseEvent',
      'DOM.scrollIntoViewIfNeeded',
      'DOM.setFileInputFiles',
    ]
    const outcomes = await Promise.all(methods.map(async (method) => client.call(method, {}, page)))
    const inner = await client.call('Target.sendMessageToTarget', {
      sessionId: page,
      message: JSON.stringify({ id: 1, method: 'Input.insertText', params: { text: 'x' } }),
    })
    const dialog = client.call('Page.handleJavaScriptDialog', { accept: false }, page)

    await client.call('Cloudflare.handoffComplete', {}, page)

    const message = `the page is handed off to a human (${result?.['handoffId']}) and accepts no other input`
    expect(outcomes.map(({ error }) => error?.message)).toEqual(methods.map((method) => `${method}: ${message}`))
    expect(inner.error?.message).toBe(`Input.insertText: ${message}`)
    expect((await dialog).error?.message).toBe('No dialog is showing')
  })

  test('holds at most 2000 commands', async () => {
    await client.call('Cloudflare.handoff', {}, page)
    const inputs = Array.from({ length: 2001 }, async () => client.call(...hasInput('')))

    const refused = await inputs.at(-1)
    await client.call('Cloudflare.handoffComplete', {}, page)

    expect(refused?.error?.message).toBe(
      'Input.insertText: More than 2000 commands or 64 MB are waiting for the end of the hand-off',
    )
    expect((await Promise.all(inputs)).filter(({ error }) => error !== undefined)).toHaveLength(1)
  })

  test('leases only its page, and ends when that is closed', async () => {
    const created = await client.call('Target.createTarget', { url: 'about:blank' })
    const other: unknown = created.result?.['targetId']
    const { result } = await client.call('Cloudflare.handoff', { targetId: other })
    const elsewhere = await client.call(...hasInput('free'))

    await client.call('Target.closeTarget', { targetId: other })

    await expect.poll(() => completions(result?.['handoffId'])).toHaveLength(1)
    expect(elsewhere.result).toEqual({})
    expect(completions(result?.['handoffId'])[0]?.params).toMatchObject({
      success: false,
      reason: 'The page was closed',
    })
  })

  test('times out without success', async () => {
    const { result } = await client.call('Cloudflare.handoff', { timeout: 1 }, page)

    await expect.poll(() => completions(result?.['handoffId'])).toHaveLength(1)
    expect(completions(result?.['handoffId'])[0]?.params).toMatchObject({
      success: false,
      reason: 'No human ended the hand-off within 1 ms',
    })
  })

  test('ends with its session, and is reported before the connection closes', async () => {
    const { id, cdpUrl } = await lab.createSession()
    await using own = await connectCdp(cdpUrl)
    const { result } = await own.call('Cloudflare.handoff', {}, await own.attachToPage())

    await lab.api('DELETE', `/v2/browser/${id}`)
    await own.closed

    expect(completions(result?.['handoffId'], own)[0]?.params).toMatchObject({
      success: false,
      reason: 'The session has ended',
    })
  })

  test.each([
    ['Cloudflare.handoff', {}, undefined, 'Cloudflare.handoff needs `targetId` outside the session of a page'],
    ['Cloudflare.handoff', { targetId: 'X' }, undefined, 'The session has no page "X"'],
    ['Cloudflare.handoff', { timeout: 0 }, undefined, 'Cloudflare.handoff: `timeout` Too small: expected number'],
    ['Cloudflare.handoffComplete', { targetId: 'X' }, undefined, 'The page is not handed off to a human'],
    ['Cloudflare.getThings', {}, undefined, `'Cloudflare.getThings' wasn't found`],
  ])('refuses %s with %j', async (method, params, sessionId, message) => {
    expect((await client.call(method, params, sessionId)).error?.message).toContain(message)
  })

  test('cannot start twice on a page', async () => {
    const { result } = await client.call('Cloudflare.handoff', {}, page)
    const second = await client.call('Cloudflare.handoff', {}, page)
    await client.call('Cloudflare.handoffComplete', {}, page)

    expect(second.error?.message).toBe(`The page is already handed off to a human (${result?.['handoffId']})`)
  })

  test('has a link to the live view that expires, and the id of the session', async () => {
    const { result } = await client.call('Cloudflare.getLiveView', { expiresInMs: 60_000 }, page)
    const url = new URL(String(result?.['devtoolsFrontendUrl']))
    const [expiry = '', token = ''] = (url.searchParams.get('token') ?? '').split('.')
    const statusOf = async (changed: string): Promise<number> => {
      url.searchParams.set('token', changed)
      return (await fetch(url)).status
    }

    expect(url.searchParams.get('tab')).toBe(targetId)
    expect(Number(expiry) - Date.now()).toBeLessThanOrEqual(60_000)
    expect(await Promise.all([statusOf(`${expiry}.${token}`), statusOf(`${Number(expiry) + 1}.${token}`)])).toEqual([
      200, 404,
    ])
    expect((await client.call('Cloudflare.getSessionId', {}, page)).result).toEqual({ sessionId: session.id })
  })
})

/** The part of a CDP session that both drivers have, without the types of commands. */
interface AnyCdpSession {
  readonly send: (method: string, params?: object) => Promise<Record<string, unknown>>
  readonly once: (event: string, listener: (params: unknown) => void) => unknown
}

const drivers = [
  [
    'Playwright',
    async () => {
      const handles = await playwright.connect(session)
      const cdp = await handles.page.context().newCDPSession(handles.page)
      return {
        page: handles.page,
        cdp: cdp as unknown as AnyCdpSession,
        evaluate: async (expression: string): Promise<unknown> => handles.page.evaluate(expression),
        close: async () => handles[Symbol.asyncDispose](),
      }
    },
  ],
  [
    'Puppeteer',
    async () => {
      const handles = await puppeteer.connect(session)
      const cdp = (await handles.page.createCDPSession()) as unknown as AnyCdpSession
      return {
        page: handles.page,
        cdp,
        evaluate: async (expression: string): Promise<unknown> => handles.page.evaluate(expression),
        close: async () => handles[Symbol.asyncDispose](),
      }
    },
  ],
] as const

test.each(drivers)('with %s, clicks and keys wait for the human, and evaluations do not', async (_name, open) => {
  const driven = await open()
  const completed = new Promise((resolve) => driven.cdp.once('Cloudflare.handoffComplete', resolve))
  const { handoffId } = await driven.cdp.send('Cloudflare.handoff', { instructions: 'Sign in' })
  let isDone = false

  const work = driven.page
    .click('input')
    .then(async () => driven.page.keyboard.type('robot'))
    .then(() => {
      isDone = true
    })
  const during = await driven.evaluate(`document.querySelector('input').value = 'human '; 6 * 7`)
  const wasDone = isDone
  await client.call('Cloudflare.handoffComplete', { targetId, reason: 'Done' })
  await work

  expect(await completed).toMatchObject({ handoffId, success: true, reason: 'Done' })
  expect([during, wasDone]).toEqual([42, false])
  expect(await typed()).toMatch(/^(?=.*human)(?=.*robot)/)
  await driven.close()
})
