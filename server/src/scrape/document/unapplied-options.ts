import type { Format } from 'bowline/contract/formats'
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
  const isHtml = page.body.kind === 'html'
  // A browser shows text and images, but reads styles only from HTML.
  const isMissing = ({ type }: Format): boolean =>
    isRendered ? type === 'branding' && !isHtml : type === 'branding' || type === 'screenshot'
  const visual = formats.filter(isMissing)
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
  const unapplied = [...visual.map(({ type }) => `the format ${type}`), ...(isHtml ? [] : selecting)]
  return unapplied.length === 0
    ? undefined
    : `Not applied, because the page is ${nameOf(page)}: ${unapplied.join(', ')}.`
}

/** Returns a warning about a page whose scripts kept its styles from being read. */
export function unreadBrandingWarning(request: ScrapeRequest, { body, branding }: LoadedPage): string | undefined {
  if (!wantsBranding(request) || body.kind !== 'html' || branding !== undefined) return undefined
  return 'The styles of the page could not be read, so the format branding is missing.'
}

/** Returns a warning about fields of changeTracking that have no effect without its mode `json`. */
export function unusedFieldsWarning({ formats }: Pick<ScrapeRequest, 'formats'>): string | undefined {
  const format = formats.find((each) => each.type === 'changeTracking')
  if (format === undefined || format.modes.includes('json')) return undefined
  const names = (['schema', 'prompt'] as const).filter((name) => format[name] !== undefined)
  if (names.length === 0) return undefined
  const listed = names.map((name) => `\`${name}\``).join(' and ')
  return `Not applied: ${listed} of the format changeTracking. Add the mode \`json\` to use ${names.length === 1 ? 'it' : 'them'}.`
}

/** Whether a request asks for the look of a page. */
export function wantsBranding({ formats }: Pick<ScrapeRequest, 'formats'>): boolean {
  return formats.some(({ type }) => type === 'branding')
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
