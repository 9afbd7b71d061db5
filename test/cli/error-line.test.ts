import { expect, test } from 'vitest'
import { catalogue } from '../../src/kit/catalogue.ts'
import { countOf } from '../../src/kit/count-of.ts'
import { BowlineError } from '../../src/kit/errors.ts'
import { errorLine } from '../../src/terminal/error-line.ts'

test('a rate limit is printed with its limit and the seconds to wait', () => {
  const message = 'Rate limit exceeded. Consumed (req/min): 4, Remaining (req/min): 0, of 3 for scrape.'
  const details = { bucket: 'scrape', limit: 3 }

  expect(errorLine(new BowlineError('RATE_LIMITED', message, { details, retryAfterSeconds: 42 }))).toBe(
    'RATE_LIMITED: Rate limit exceeded: the team has 3 requests per minute for `scrape` (Retry in 42 s.)',
  )
  expect(errorLine(new BowlineError('RATE_LIMITED', message, { retryAfterSeconds: 1 }))).toBe(
    'RATE_LIMITED: Rate limit exceeded (Retry in 1 s.)',
  )
})

test('hints name the seconds to wait instead of the header', () => {
  const codes = Object.entries(catalogue).filter(([, { hint }]) => hint?.includes('Retry-After') === true)

  expect(codes.length).toBeGreaterThan(3)
  for (const [code] of codes) {
    const line = errorLine(new BowlineError(code, 'Busy', { retryAfterSeconds: 7 }))
    expect(line).toContain('in 7 s')
    expect(line).not.toContain('Retry-After')
  }
})

test('counts have their plural', () => {
  expect([0, 1, 2].map((count) => countOf(count, 'page'))).toEqual(['0 pages', '1 page', '2 pages'])
})
