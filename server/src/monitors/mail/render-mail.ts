import type { CheckStatus, CheckSummary } from 'bowline/contract/monitor-checks'
import type { PageRow } from '../queries/pages.ts'
import { escapeHtml } from '../../kit/escape-html.ts'

/** An email as plain text and HTML. */
export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Contents of an email about a check. */
export interface CheckMail {
  readonly monitorName: string
  readonly status: CheckStatus
  readonly error: string | undefined
  readonly summary: CheckSummary
  /** Changed pages, which the email lists. */
  readonly pages: readonly PageRow[]
  readonly includesDiffs: boolean
  readonly unsubscribeUrl: string
}

const maxDiffLength = 6000
const maxTotalDiffLength = 60_000

/** Renders the email about a check. */
export function renderCheckMail(mail: CheckMail): RenderedMail {
  const { monitorName, summary, pages, unsubscribeUrl } = mail
  const introduction = [...pagesOf(summary), ...problemOf(mail)]
  let remaining = maxTotalDiffLength
  const shown = pages.map((page) => {
    const diff = mail.includesDiffs ? diffOf(page).slice(0, Math.min(remaining, maxDiffLength)) : ''
    remaining -= diff.length
    return { page, diff }
  })
  const rest = summary.totalPages - summary.same - shown.length
  const more = rest > 0 ? [`And ${rest} more.`] : []
  const text = [
    ...introduction,
    ...shown.map(({ page, diff }) => [`${page.status}: ${page.url}`, page.error, diff].filter(Boolean).join('\n')),
    ...more,
    `Unsubscribe from this monitor: ${unsubscribeUrl}`,
  ].join('\n\n')
  const html = frame([
    `<h1 style="font-size:18px">${escapeHtml(monitorName)}</h1>`,
    ...introduction.map((line) => `<p>${escapeHtml(line)}</p>`),
    ...shown.map(({ page, diff }) => pageHtml(page, diff)),
    ...more.map((line) => `<p>${line}</p>`),
    `<p style="color:#666;font-size:12px"><a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe from this monitor</a></p>`,
  ])
  return { subject: `${monitorName}: ${resultOf(mail)}`, text, html }
}

/** Renders the email that asks a recipient to confirm a subscription. */
export function renderConfirmationMail(
  monitorName: string,
  { confirmUrl, unsubscribeUrl }: { readonly confirmUrl: string; readonly unsubscribeUrl: string },
): RenderedMail {
  const request = `Someone subscribed this address to emails about changes that the monitor "${monitorName}" finds.`
  const ignore = 'If you did not expect this, ignore this email and you will not get another one.'
  return {
    subject: `Confirm your subscription to the monitor ${monitorName}`,
    text: [request, `Confirm: ${confirmUrl}`, ignore, `Unsubscribe: ${unsubscribeUrl}`].join('\n\n'),
    html: frame([
      `<p>${escapeHtml(request)}</p>`,
      `<p><a href="${escapeHtml(confirmUrl)}">Confirm subscription</a></p>`,
      `<p>${ignore}</p>`,
      `<p style="color:#666;font-size:12px"><a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe</a></p>`,
    ]),
  }
}

function resultOf({ status, summary }: CheckMail): string {
  if (status === 'failed') return 'check failed'
  return status === 'skipped_no_credits' ? 'check skipped' : countsOf(summary)
}

function countsOf(summary: CheckSummary): string {
  const states = ['changed', 'new', 'removed', 'error'] as const
  const counts = states
    .filter((state) => summary[state] > 0)
    .map((state) => `${summary[state]} ${state === 'error' ? 'failed' : state}`)
  return counts.length === 0 ? 'no changes' : counts.join(', ')
}

function pagesOf(summary: CheckSummary): readonly string[] {
  const { totalPages } = summary
  return totalPages === 0 ? [] : [`${totalPages} ${totalPages === 1 ? 'page' : 'pages'} checked: ${countsOf(summary)}.`]
}

/** Returns why the check, or a part of it, did not run. */
function problemOf({ status, error }: CheckMail): readonly string[] {
  if (status === 'skipped_no_credits') return ['The check was skipped: not enough credits.']
  if (status === 'failed') return [error === undefined ? 'The check failed.' : `The check failed: ${error}`]
  return error === undefined ? [] : [`Part of the check failed: ${error}`]
}

function diffOf({ diff }: PageRow): string {
  if (diff === undefined) return ''
  const { text, json } = diff
  return text ?? JSON.stringify(json, undefined, 2)
}

function pageHtml({ status, url, error }: PageRow, diff: string): string {
  const title = `<p style="margin-bottom:4px"><b>${status}</b> <a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`
  const reason = error === undefined ? '' : `<p>${escapeHtml(error)}</p>`
  const lines = diff.split('\n').map((line) => `<span style="${lineStyle(line)}">${escapeHtml(line)}</span>`)
  const pre = 'background:#f6f8fa;padding:8px;white-space:pre-wrap;font-size:13px'
  return `${title}${reason}${diff === '' ? '' : `<pre style="${pre}">${lines.join('\n')}</pre>`}`
}

function lineStyle(line: string): string {
  if (/^(\+\+\+|---|@@)/.test(line)) return 'color:#666'
  if (line.startsWith('+')) return 'color:#116329;background:#dafbe1'
  return line.startsWith('-') ? 'color:#82071e;background:#ffebe9' : ''
}

function frame(parts: readonly string[]): string {
  return `<!doctype html><html lang="en"><body style="font-family:system-ui,sans-serif;color:#111">${parts.join('\n')}</body></html>`
}
