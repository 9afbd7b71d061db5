import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import type { LoadedPage } from '../fetch/loaded-page.ts'

/**
 * Returns a warning about options that have no effect on a page, because it is a file or not HTML.
 * Throws SCRAPE_UNSUPPORTED_FILE_ERROR if the request has actions, or asks for nothing but formats
 * that require a browser.
 */
export function unappliedWarning(
  { formats, actions = [], includeTags = [], excludeTags = [], onlyCleanContent }: ScrapeRequest,
  page: LoadedPage,
  isRendered: boolean,
): string | undefined {
  const visual = isRendered ? [] : formats.filter(({ type }) => type === 'screenshot' || type === 'branding')
  if (!isRendered && (actions.length > 0 || (visual.length > 0 && visual.length === formats.length))) {
    const option = actions.length > 0 ? '`actions`' : `The format ${visual.map(({ type }) => type).join(' or ')}`
    throw new BowlineError(
      'SCRAPE_UNSUPPORTED_FILE_ERROR',
      `${page.url} is ${nameOf(page)}, which the browser downloads instead of showing. ${option} cannot be applied to it`,
      { hint: 'Leave it out to get the content of the file.' },
    )
  }
  const selecting = [
    ...(includeTags.length > 0 ? ['`includeTags`'] : []),
    ...(excludeTags.length > 0 ? ['`excludeTags`'] : []),
    ...(onlyCleanContent ? ['`onlyCleanContent`'] : []),
    ...(formats.some(({ type }) => type === 'attributes') ? ['the format attributes'] : []),
  ]
  const unapplied = [...visual.map(({ type }) => `the format ${type}`), ...(page.body.kind === 'html' ? [] : selecting)]
  return unapplied.length === 0
    ? undefined
    : `Not applied, because the page is ${nameOf(page)}: ${unapplied.join(', ')}.`
}

function nameOf({ body, contentType }: LoadedPage): string {
  const type = contentType?.split(';', 1)[0]?.trim() ?? ''
  switch (body.kind) {
    case 'pdf':
    case 'pdf-text':
      return 'a PDF'
    case 'image':
      return 'an image'
    case 'text':
    case 'html':
      return type === '' ? 'a file' : `a file of the type ${type}`
    default:
      return body satisfies never
  }
}
