import { expect, test } from 'vitest'
import { renderCheckMail, type CheckMail } from '../../../src/monitors/mail/render-mail.ts'

const unchanged: CheckMail = {
  monitorName: 'Headlines',
  status: 'completed',
  error: undefined,
  summary: { totalPages: 5, same: 5, changed: 0, new: 0, removed: 0, error: 0 },
  pages: [],
  includesDiffs: false,
  unsubscribeUrl: 'http://bowline.example/unsubscribe',
}

const noPages = { totalPages: 0, same: 0, changed: 0, new: 0, removed: 0, error: 0 }

test.each<[string, Partial<CheckMail>, string, string]>([
  ['has no changes', {}, 'no changes', '5 pages checked: no changes.'],
  [
    'has changes and failed pages',
    { status: 'partial', summary: { totalPages: 5, same: 2, changed: 2, new: 0, removed: 0, error: 1 } },
    '2 changed, 1 failed',
    '5 pages checked: 2 changed, 1 failed.',
  ],
  [
    'has failed',
    { status: 'failed', error: 'The search failed', summary: noPages },
    'check failed',
    'The check failed: The search failed',
  ],
  [
    'was skipped',
    { status: 'skipped_no_credits', error: 'The check needs 5 credits', summary: noPages },
    'check skipped',
    'The check was skipped: not enough credits.',
  ],
])('the email about a check that %s', (_, check, result, lead) => {
  const { subject, text, html } = renderCheckMail({ ...unchanged, ...check })

  expect(subject).toBe(`Headlines: ${result}`)
  expect(text.split('\n\n')[0]).toBe(lead)
  expect(html).toContain(`<p>${lead}</p>`)
})
