import { decodeText } from './decode.ts'
import type { FetchedStream } from './fetch-stream.ts'
import type { OpenOptions } from './map-context.ts'
import { robotsAgent } from './request-headers.ts'
import { parseRobots, type Robots } from './robots.ts'

/**
 * Maximum number of bytes of a robots.txt that are parsed. RFC 9309 requires at least 500 KiB.
 */
const maxRobotsBytes = 512_000

/** Milliseconds after which a site counts as one without a robots.txt. */
const timeoutMs = 10_000

/** Opens a URL as a stream of at most `maxBytes`. Passes a sentence about the omitted rest on. */
type Open = (
  url: URL,
  maxBytes: number,
  options: Required<Omit<OpenOptions, 'checkRedirect'>>,
) => Promise<FetchedStream>

/** Returns the sentence about a response that is longer than `maxBytes`. */
export function tooLong(url: URL, maxBytes: number): string {
  return `${url.href} is longer than ${maxBytes / 1e6} MB: the rest was omitted.`
}

/**
 * Reads the robots.txt of a site. A site without a readable robots.txt has no rules. The warnings
 * name its URL.
 */
export async function readRobots(open: Open, site: URL | string): Promise<Robots> {
  const url = new URL('/robots.txt', site)
  const warnings: string[] = []
  let text = ''
  try {
    await using response = await open(url, maxRobotsBytes, { addOmission: (what) => warnings.push(what), timeoutMs })
    if (response.status < 400) for await (const piece of decodeText(response.chunks)) text += piece
  } catch {
    // Rules that could not be read do not apply.
  }
  const robots = parseRobots(text, robotsAgent)
  return { ...robots, warnings: [...warnings, ...robots.warnings.map((each) => `${url.href} ${each}`)] }
}
