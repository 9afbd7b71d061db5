import type { BowlineError } from 'bowline/kit/errors'
import type { LinkOutcome } from './handle-mail-link.ts'
import { escapeHtml } from './escape-html.ts'
import type { MailPurpose } from './mail-token.ts'

/** Headers of these pages: nothing may run in them, and their address, which holds a token, is told to nobody. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** The page behind the link of a mail: it asks, and posts to its own address. */
export function linkPage(purpose: MailPurpose): string {
  return purpose === 'confirm'
    ? frame('Mails from a monitor', '<p>Do you want a mail whenever the monitor finds a change?</p>', 'Yes, send them')
    : frame('No more mails', '<p>Shall this monitor write to you no more?</p>', 'Stop the mails')
}

/** The page that says what the click came to. */
export function outcomePage(outcome: LinkOutcome | BowlineError): string {
  if ('code' in outcome) return frame('This did not work', `<p>${escapeHtml(outcome.message)}.</p>`)
  const { result, email, monitorName } = outcome
  const will = result.endsWith('unsubscribed') ? 'gets no more mails' : 'gets a mail whenever there is a change'
  return frame(monitorName, `<p>${escapeHtml(email)} ${will}.</p>`)
}

function frame(title: string, content: string, button?: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escapeHtml(title)}</title>
    <style>
      :root { color-scheme: light dark }
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto; padding: 0 1.5rem }
      button { font: inherit; padding: .5rem 1.25rem; border: 0; border-radius: .5rem; background: #0a63d1; color: #fff; cursor: pointer }
    </style>
  </head>
  <body>
    <h1>${escapeHtml(title)}</h1>
    ${content}
    ${button === undefined ? '' : `<form method="post"><button>${button}</button></form>`}
  </body>
</html>
`
}
