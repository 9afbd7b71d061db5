import { escapeHtml } from '../../kit/escape-html.ts'

/** A document as HTML. */
export interface HtmlDocument {
  /** HTML of the body. */
  readonly body: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly author?: string | undefined
  readonly language?: string | undefined
}

/** Writes a whole HTML page. */
export function writePage({ body, title, description, author, language }: HtmlDocument): string {
  const meta = (name: string, content: string | undefined): string =>
    content === undefined || content === '' ? '' : `<meta name="${name}" content="${escapeHtml(content)}">\n`
  return [
    `<!doctype html>\n<html${language === undefined || language === '' ? '' : ` lang="${escapeHtml(language)}"`}>\n<head>\n`,
    title === undefined || title === '' ? '' : `<title>${escapeHtml(title)}</title>\n`,
    meta('description', description),
    meta('author', author),
    `</head>\n<body>\n${body}</body>\n</html>\n`,
  ].join('')
}
