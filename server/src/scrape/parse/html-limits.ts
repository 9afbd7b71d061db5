/** How large a parsed page may become. */
export interface HtmlLimits {
  /** Characters of HTML that are read; the rest is left out. */
  readonly maxLength: number
  /** Open elements; deeper ones are flattened into the deepest that fits, text and all. */
  readonly maxDepth: number
  /** Elements and texts; later ones are left out. */
  readonly maxNodes: number
  /** Attributes of one element; later ones are left out. */
  readonly maxAttributes: number
}

/** 20 million characters, 256 levels, half a million nodes, 256 attributes an element. */
export const defaultHtmlLimits: HtmlLimits = {
  maxLength: 20_000_000,
  maxDepth: 256,
  maxNodes: 500_000,
  maxAttributes: 256,
}

/** Cuts HTML to `maxLength` characters, and never inside a tag. */
export function truncateHtml(html: string, maxLength: number): string {
  if (html.length <= maxLength) return html
  const lastTag = html.lastIndexOf('<', maxLength)
  return html.slice(0, lastTag > 0 && html.indexOf('>', lastTag) >= maxLength ? lastTag : maxLength)
}
