import { BowlineError } from '../kit/errors.ts'

/**
 * What an address has to look like: a path such as `/docs/*`, a whole address such as `https://*.example.com/docs/*`
 * (`*` stands for anything), or a regular expression for the whole address.
 */
export type SeedPattern = string | RegExp

/** Makes the test of `include` and `exclude`. Throws CONFIG_INVALID for a pattern that cannot be read. */
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
  if (!/^(?:\/|[a-z*]+:\/\/)/i.test(pattern)) throw unreadable(pattern)
  const source = pattern.split('*').map(escapeText).join('.*')
  const whole = new RegExp(`^${source}$`, 'i')
  return pattern.startsWith('/') ? (url) => whole.test(url.pathname) : (url) => whole.test(url.href)
}

function escapeText(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}

function unreadable(pattern: string): BowlineError {
  return new BowlineError('CONFIG_INVALID', `"${pattern}" is no pattern for addresses`, {
    hint: 'Write a path such as `/docs/*`, an address such as `https://example.com/docs/*`, or a regular expression.',
  })
}
