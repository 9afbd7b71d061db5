/** A node of structured data: properties by name, as in JSON-LD. */
export type Node = Readonly<Record<string, unknown>>

/** Returns an object as a node. Undefined for other values. */
export function record(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : undefined
}

/** Returns the values of a property: those of a list, the only one, or none. */
export function list(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** Returns the names of the types of a node, without the address of their vocabulary. */
export function typesOf(node: Node): readonly string[] {
  return list(node['@type']).map((type) => lastSegment(String(type)))
}

/** Returns the last segment of a URL, or a text without slashes. */
export function lastSegment(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1)
}

/** Returns the text of a property: of its first value, or the name of the node there. */
export function textValue(value: unknown): string | undefined {
  const [first] = list(value)
  const inner = record(first)
  const [text] = inner === undefined ? [first] : list(inner['name'] ?? inner['@value'])
  if (typeof text !== 'string' && typeof text !== 'number') return undefined
  const trimmed = String(text).replaceAll(/\s+/g, ' ').trim()
  return trimmed === '' ? undefined : trimmed
}

/** Returns the number in a property, in the notation of code or of people. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  const text = textValue(value)?.replaceAll(/[^\d.,-]/g, '')
  if (text === undefined || !/\d/.test(text)) return undefined
  // The last separator is the decimal one, unless three digits follow it alone: 1,299 or 1.299.
  const separator = /[.,](?=\d*$)/.exec(text)
  const isDecimal =
    separator !== null && !(/^-?\d{1,3}(?:,\d{3})+$/.test(text) || /^-?\d{1,3}(?:\.\d{3}){2,}$/.test(text))
  const whole = (isDecimal ? text.slice(0, separator.index) : text).replaceAll(/[.,]/g, '')
  const number = Number(isDecimal ? `${whole}.${text.slice(separator.index + 1)}` : whole)
  return Number.isFinite(number) ? number : undefined
}
