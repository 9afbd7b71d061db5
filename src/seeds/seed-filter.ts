import { BowlineError } from '../kit/errors.ts'

/**
 * Pattern for URLs: a path such as `/docs/*`, a URL such as `https://*.example.com/docs/*`, or a
 * regular expression that is searched in the URL. `*` matches any text.
 *
 * @example
 * ```ts
 * import { Bowline, seeds, type SeedPattern } from 'bowline'
 *
 * const include: readonly SeedPattern[] = [
 *   '/',
 *   '/docs/*',
 *   'https://blog.example.com/*',
 *   /\/20\d\d\//,
 * ]
 * for await (const url of seeds(new Bowline(), { map: 'https://example.com', include }))
 *   console.log(url)
 * ```
 */
export type SeedPattern = string | RegExp

/** Creates the filter of `include` and `exclude`. Throws CONFIG_INVALID for an invalid pattern. */
export function createSeedFilter(
  include: SeedPattern | readonly SeedPattern[] | undefined,
  exclude: SeedPattern | readonly SeedPattern[] | undefined,
): (url: URL) => boolean {
  const included = toList(include).map(toTest)
  const excluded = toList(exclude).map(toTest)
  return (url) =>
    (included.length === 0 || included.some((matches) => matches(url))) && !excluded.some((matches) => matches(url))
}

function toList(patterns: SeedPattern | readonly SeedPattern[] | undefined): readonly SeedPattern[] {
  if (patterns === undefined) return []
  return typeof patterns === 'string' || patterns instanceof RegExp ? [patterns] : patterns
}

function toTest(pattern: SeedPattern): (url: URL) => boolean {
  if (pattern instanceof RegExp) return (url) => url.href.search(pattern) !== -1
  if (!/^(?:\/|[a-z*]+:\/\/)/i.test(pattern)) throw invalidPattern(pattern)
  const source = pattern.split('*').map(escapeText).join('.*')
  const whole = new RegExp(`^${source}$`, 'i')
  return pattern.startsWith('/') ? (url) => whole.test(url.pathname) : (url) => whole.test(url.href)
}

/** URLs are percent-encoded, but patterns do not have to be. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\x21-\x7e]+/g, (characters) => encodeURIComponent(characters))
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}

function invalidPattern(pattern: string): BowlineError {
  return new BowlineError('CONFIG_INVALID', `Invalid URL pattern "${pattern}"`, {
    hint: 'Use a path such as `/docs/*`, a URL such as `https://example.com/docs/*`, or a regular expression.',
  })
}
