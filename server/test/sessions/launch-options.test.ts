import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'

/** Reads a value in the first page. Playwright would emulate media features. */
async function evaluate(session: { readonly cdpUrl: string }, expression: string): Promise<unknown> {
  await using cdp = await connectCdp(session.cdpUrl)
  const { result } = await cdp.call('Runtime.evaluate', { expression, returnByValue: true }, await cdp.attachToPage())
  return result?.['result'].value
}

describe.each(['shell', 'chromium'] as const)('options of the launch in %s', (browser) => {
  let lab: Lab
  beforeAll(async () => {
    lab = await startLab({ browser, warm: 1 })
  })
  afterAll(async () => lab[Symbol.asyncDispose]())

  const media = `['(prefers-reduced-motion: reduce)', '(prefers-color-scheme: dark)'].map((query) => matchMedia(query).matches)`

  test.each([{}, { profile: { name: 'with-args' } }])('`args` change how pages look, with %j', async (options) => {
    const session = await lab.createSession({ ...options, args: ['--force-prefers-reduced-motion', '--disable-gpu'] })

    expect(await evaluate(session, media)).toEqual([true, false])
  })

  test('a session without them uses a warm browser without them', async () => {
    const session = await lab.createSession({ args: [] })

    expect(await evaluate(session, media)).toEqual([false, false])
  })

  test('a flag that is not allowed is refused with the list of those that are', async () => {
    const { status, body } = await lab.api('POST', '/v2/browser', { args: ['--disable-gpu', '--no-sandbox'] })

    expect({ status, ...body }).toMatchObject({
      status: 400,
      code: 'BAD_REQUEST',
      error: expect.stringMatching(/args.*1.*"--no-sandbox" is not a flag .* --disable-gpu, /),
    })
  })
})
