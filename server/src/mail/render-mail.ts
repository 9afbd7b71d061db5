import type { CheckSummary, PageDiff } from 'bowline/contract/monitor-checks'
import type { PageRow } from '../store/monitor-pages.ts'
import { escapeHtml } from './escape-html.ts'

/** A mail as text and as HTML. */
export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** What a mail about a check tells. */
export interface CheckMail {
  readonly monitorName: string
  readonly status: string
  readonly error: string | undefined
  readonly summary: CheckSummary
  /** Those that are not the same, as many as are shown. */
  readonly pages: readonly PageRow[]
  readonly includesDiffs: boolean
  readonly unsubscribeUrl: string
}

const maxDiffLength = 6000
const maxTotalDiffLength = 60_000

/** Writes the mail that tells what a check found. */
export function renderCheckMail(mail: CheckMail): RenderedMail {
  const { monitorName, summary, pages, unsubscribeUrl } = mail
  const counts = countsOf(summary)
  const lead = `${counts} of ${summary.totalPages} ${summary.totalPages === 1 ? 'page' : 'pages'}.`
  const failure = mail.error === undefined ? [] : [`The check ${mail.status.replaceAll('_', ' ')}: ${mail.error}`]
  let room = maxTotalDiffLength
  const shown = pages.map((page) => {
    const diff = mail.includesDiffs ? diffOf(page).slice(0, Math.min(room, maxDiffLength)) : ''
    room -= diff.length
    return { page, diff }
  })
  const told = shown.length
  const rest = summary.totalPages - summary.same - told
  const more = rest > 0 ? [`And ${rest} more.`] : []
  const text = [
    lead,
    ...failure,
    ...shown.map(({ page, diff }) => [`${page.status}: ${page.url}`, page.error, diff].filter(Boolean).join('\n')),
    ...more,
    `No more mails about this monitor: ${unsubscribeUrl}`,
  ].join('\n\n')
  const html = frame([
    `<h1 style="font-size:18px">${escapeHtml(monitorName)}</h1>`,
    ...[lead, ...failure].map((line) => `<p>${escapeHtml(line)}</p>`),
    ...shown.map(({ page, diff }) => pageHtml(page, diff)),
    ...more.map((line) => `<p>${line}</p>`),
    `<p style="color:#666;font-size:12px"><a href="${escapeHtml(unsubscribeUrl)}">No more mails about this monitor</a></p>`,
  ])
  return { subject: `${monitorName}: ${counts}`, text, html }
}

/** Writes the mail that asks whether somebody wants to be told. */
export function renderConfirmationMail(
  monitorName: string,
  { confirmUrl, unsubscribeUrl }: { readonly confirmUrl: string; readonly unsubscribeUrl: string },
): RenderedMail {
  const ask = `Somebody has asked to send you a mail whenever the monitor "${monitorName}" finds a change.`
  const nothing = 'If you did not expect this, do nothing: you will get no further mail.'
  return {
    subject: `Do you want mails from the monitor ${monitorName}?`,
    text: [ask, `Yes, send them: ${confirmUrl}`, nothing, `No, never: ${unsubscribeUrl}`].join('\n\n'),
    html: frame([
      `<p>${escapeHtml(ask)}</p>`,
      `<p><a href="${escapeHtml(confirmUrl)}">Yes, send them</a></p>`,
      `<p>${nothing}</p>`,
      `<p style="color:#666;font-size:12px"><a href="${escapeHtml(unsubscribeUrl)}">No, never</a></p>`,
    ]),
  }
}

function countsOf(summary: CheckSummary): string {
  const states = ['changed', 'new', 'removed', 'error'] as const
  const told = states
    .filter((state) => summary[state] > 0)
    .map((state) => `${summary[state]} ${state === 'error' ? 'in error' : state}`)
  return told.length === 0 ? 'no changes' : told.join(', ')
}

function diffOf({ diff }: PageRow): string {
  if (diff === undefined) return ''
  const { text, json } = JSON.parse(diff) as PageDiff
  return text ?? JSON.stringify(json, undefined, 2)
}

function pageHtml({ status, url, error }: PageRow, diff: string): string {
  const title = `<p style="margin-bottom:4px"><b>${status}</b> <a href="${escapeHtml(url)}">${escapeHtml(url)}</a></p>`
  const why = error === undefined ? '' : `<p>${escapeHtml(error)}</p>`
  const lines = diff.split('\n').map((line) => `<span style="${lineStyle(line)}">${escapeHtml(line)}</span>`)
  const pre = 'background:#f6f8fa;padding:8px;white-space:pre-wrap;font-size:13px'
  return `${title}${why}${diff === '' ? '' : `<pre style="${pre}">${lines.join('\n')}</pre>`}`
}

function lineStyle(line: string): string {
  if (/^(\+\+\+|---|@@)/.test(line)) return 'color:#666'
  if (line.startsWith('+')) return 'color:#116329;background:#dafbe1'
  return line.startsWith('-') ? 'color:#82071e;background:#ffebe9' : ''
}

function frame(parts: readonly string[]): string {
  return `<!doctype html><html lang="en"><body style="font-family:system-ui,sans-serif;color:#111">${parts.join('\n')}</body></html>`
}
