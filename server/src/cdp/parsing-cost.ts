/** Texts up to this length are cheap to parse, whatever they contain. */
const maxCheapLength = 1_000_000

/**
 * Maximum cost, in units of about 20 ns of parsing and serializing. It allows 6 million numbers in
 * a list, or 400,000 properties of objects.
 */
const maxCost = 25_000_000

/** Cost of any character, also in strings. */
const costPerCharacter = 0.25

/** Chromium accepts 300 levels. */
const maxDepth = 1000

/**
 * Whether parsing a JSON text could block the server for more than about a second, or exhaust its
 * memory. Long strings are fine. Many or deeply nested objects are not: 30 MB of empty objects take
 * 8 s and a gigabyte. Returns false for malformed texts that `JSON.parse` rejects early.
 */
export function isCostlyToParse(text: string): boolean {
  if (text.length <= maxCheapLength) return false
  const { cost, depth } = scanText(text)
  return cost > maxCost || depth > maxDepth
}

/**
 * Estimates the cost of parsing and serializing a JSON text, in units of about 20 ns. Texts that
 * `isCostlyToParse` refuses cost as much as it takes to find out.
 */
export function parsingCostOf(text: string): number {
  return scanText(text).cost + text.length * costPerCharacter
}

/** Scans a text until its end, or a limit. */
function scanText(text: string): Scan {
  const scan = { cost: 0, depth: 0 }
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at)
    scanStructure(text, at, quote === -1 ? text.length : quote, scan)
    if (scan.cost > maxCost || scan.depth > maxDepth || quote === -1) break
    at = endOfString(text, quote + 1, scan)
  }
  return scan
}

interface Scan {
  cost: number
  depth: number
}

const costs = { quote: 5, comma: 3, colon: 50, bracket: 15, other: 1 } as const
const charCodes = { comma: 0x2c, colon: 0x3a, array: 0x5b, endOfArray: 0x5d, object: 0x7b, endOfObject: 0x7d } as const
const backslash = 0x5c

/** Adds the cost of the characters between two strings. Stops above a limit. */
function scanStructure(text: string, start: number, end: number, scan: Scan): void {
  for (let index = start; index < end && scan.cost <= maxCost && scan.depth <= maxDepth; index += 1) {
    switch (text.charCodeAt(index)) {
      case charCodes.comma:
        scan.cost += costs.comma
        break
      case charCodes.colon:
        scan.cost += costs.colon
        break
      case charCodes.array:
      case charCodes.object:
        scan.cost += costs.bracket
        scan.depth += 1
        break
      case charCodes.endOfArray:
      case charCodes.endOfObject:
        scan.depth -= 1
        break
      default:
        scan.cost += costs.other
    }
  }
}

/** Returns the index after the quote that ends a string, and adds the cost of escaped quotes. */
function endOfString(text: string, start: number, scan: Scan): number {
  let at = start
  while (scan.cost <= maxCost) {
    const quote = text.indexOf('"', at)
    if (quote === -1) break
    scan.cost += costs.quote
    const escapes = countBackslashes(text, at, quote)
    scan.cost += escapes
    at = quote + 1
    if (escapes % 2 === 0) return at
  }
  return text.length
}

function countBackslashes(text: string, start: number, end: number): number {
  let first = end
  while (first > start && text.charCodeAt(first - 1) === backslash) first -= 1
  return end - first
}
