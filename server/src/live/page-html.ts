import { escapeHtml } from '../kit/escape-html.ts'
import { readPageTemplate, scriptExtension } from './web-files.ts'
import type { ViewerPageState } from './server-message.ts'

/** Returns a function that renders the live view page for a state. Reads the template once. */
export function createPageRenderer(): (state: ViewerPageState) => string {
  const template = readPageTemplate().replaceAll('{{extension}}', scriptExtension)
  return (state) => template.replace('{{state}}', () => escapeHtml(JSON.stringify(state)))
}

/**
 * Response headers of the live view page. Its URL contains a token, so no referrer is sent. Any
 * site may embed it in a frame, and it loads only its own files.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors *",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
}
