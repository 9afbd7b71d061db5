import type { BowlineError } from 'bowline/kit/errors'
import type { LinkOutcome } from './mail-link.ts'
import { escapeHtml } from '../../kit/escape-html.ts'
import type { MailPurpose } from './mail-token.ts'

/** Headers of these pages. They forbid scripts and referrers, as the URL contains a token. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/** Renders the confirmation page of an email link. Its form posts to the same URL. */
export function linkPage(purpose: MailPurpose): string {
  return purpose === 'confirm'
    ? frame('Confirm subscription', '<p>Get an email whenever this monitor finds a change?</p>', 'Subscribe')
    : frame('Unsubscribe', '<p>Stop emails from this monitor?</p>', 'Unsubscribe')
}

/** Renders the result of following an email link. */
export function outcomePage(outcome: LinkOutcome | BowlineError): string {
  if ('code' in outcome) return frame('Something went wrong', `<p>${escapeHtml(outcome.message)}.</p>`)
  const { result, email, monitorName } = outcome
  const status = result.endsWith('unsubscribed')
    ? 'is unsubscribed from this monitor'
    : 'will get an email whenever this monitor finds a change'
  return frame(monitorName, `<p>${escapeHtml(email)} ${status}.</p>`)
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
