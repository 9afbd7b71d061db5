/** Limits of a parsed page. */
export interface HtmlLimits {
  /** Maximum number of characters of HTML. The rest is left out. */
  readonly maxLength: number
  /** Maximum nesting depth. Deeper elements are flattened into the deepest one that fits. */
  readonly maxDepth: number
  /** Maximum number of elements and text nodes. Later ones are left out. */
  readonly maxNodes: number
  /** Maximum number of attributes of an element. Later ones are left out. */
  readonly maxAttributes: number
}

/** 20 million characters, 256 levels, 500,000 nodes, 256 attributes per element. */
export const defaultHtmlLimits: HtmlLimits = {
  maxLength: 20_000_000,
  maxDepth: 256,
  maxNodes: 500_000,
  maxAttributes: 256,
}

/** Truncates HTML to `maxLength` characters, but not inside a tag. */
export function truncateHtml(html: string, maxLength: number): string {
  if (html.length <= maxLength) return html
  const lastTag = html.lastIndexOf('<', maxLength)
  return html.slice(0, lastTag > 0 && html.indexOf('>', lastTag) >= maxLength ? lastTag : maxLength)
}
