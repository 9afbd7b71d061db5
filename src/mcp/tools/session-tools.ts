import { z } from 'zod'
import { BowlineError } from '../../kit/errors.ts'
import { describeCost } from '../browser/agent-browser.ts'
import { changesResult, textResult } from './result.ts'
import { browserTool, serviceTool, type Tool } from './tool.ts'

const requestHuman = browserTool({
  name: 'browser_request_human',
  title: 'Ask a human for help',
  description:
    'Hands the page to a human, for example to sign in or to solve a CAPTCHA, and waits up to 45 s. The human works ' +
    'in the live view. If the human needs longer, call it again without arguments to go on waiting.',
  input: {
    instructions: z.string().max(4096).optional().describe('Task of the human'),
    timeout: z.int().min(10).max(86_400).default(1800).describe('Seconds until the request ends without success'),
  },
  isReadOnly: true,
  run: async ({ instructions, timeout }, scope) => {
    const { open, tab } = scope
    if (!open.human.isPending) {
      if (instructions === undefined) {
        throw new BowlineError('BAD_REQUEST', 'No human was asked yet', { hint: 'Pass `instructions`.' })
      }
      await open.human.ask(tab.page, tab.page.context(), instructions, timeout * 1000)
    }
    const result = await open.human.wait(humanWaitMs)
    if (result === undefined) {
      return textResult(
        `The human has not answered yet. Show this link to the user: ${open.interactiveLiveViewUrl}`,
        'Call browser_request_human again without arguments to go on waiting.',
      )
    }
    const outcome = result.success ? 'The human has done it.' : `The human has not done it (${result.endedBy}).`
    return changesResult(scope, result.reason === undefined ? outcome : `${outcome} Note: ${result.reason}`)
  },
})

const close = serviceTool({
  name: 'browser_close',
  title: 'Close the browser',
  description: 'Ends the browser session, and returns its duration and cost. The next browser tool opens another one.',
  input: {},
  isReadOnly: true,
  run: async (_input, { browser }) => {
    const bill = await browser().end()
    if (bill === undefined) return textResult('No browser session is open.')
    return textResult(`Browser session ${bill.sessionId} has ended${describeCost(bill)}.`)
  },
})

/** Tools for the browser session as a whole. */
export const sessionTools: readonly Tool[] = [requestHuman, { ...close, usesBrowser: true }]

const humanWaitMs = 45_000
