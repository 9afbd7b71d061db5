import { expect, test } from 'vitest'
import { connectBrowser } from '../../src/drivers/connect.ts'

/** Returns the error of a library that fails to connect with a message. */
async function failureOf(message: string): Promise<unknown> {
  const connecting = Promise.reject(new Error(message))
  return connectBrowser('Playwright', connecting, async () => undefined, undefined).catch((error: unknown) => error)
}

const noBrowser = [
  'browserType.connectOverCDP: ',
  '╔════════════════════════════════════════════════╗',
  '║ No chromium-based browser found on the system. ║',
  '║     npx playwright install chromium            ║',
  '╚════════════════════════════════════════════════╝',
].join('\n')

test('a message whose first line ends with a colon is reported with its second line', async () => {
  expect(await failureOf(noBrowser)).toMatchObject({
    code: 'DRIVER_FAILED',
    message:
      'Playwright could not connect to the session: browserType.connectOverCDP: No chromium-based browser found on the system.',
  })
})

test('a message that starts with an empty line is reported with its first text, without the token', async () => {
  expect(await failureOf('\nconnect ECONNREFUSED ws://127.0.0.1:1/cdp/secret\nat once')).toMatchObject({
    message: 'Playwright could not connect to the session: connect ECONNREFUSED ws://127.0.0.1:1/…',
  })
})

test.each([
  [noBrowser, expect.stringContaining('`--debug` sets')],
  ['connect ECONNREFUSED', expect.stringContaining('Create a new session')],
])('a hint names the inspector if it lacks a browser: %j', async (message, hint) => {
  expect(((await failureOf(message)) as { readonly hint?: string }).hint).toEqual(hint)
})
