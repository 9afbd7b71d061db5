import { readPageTemplate, scriptExtension } from './page-files.ts'
import type { PageState } from './server-message.ts'

/** Makes a function that writes the page for a state. The template is read once. */
export function createPageRenderer(): (state: PageState) => string {
  const template = readPageTemplate().replaceAll('{{extension}}', scriptExtension)
  return (state) => template.replace('{{state}}', escapeAttribute(JSON.stringify(state)))
}

/**
 * Headers of the page. Its address holds a token, so no other site may learn it; it may be shown in a frame anywhere, and
 * it loads nothing but its own files.
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

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"'$]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
