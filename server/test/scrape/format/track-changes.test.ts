import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scrapeRequest } from '../../../../src/contract/scrape.ts'
import { describeEachStore } from '../../../../test/lab/stores.ts'
import { trackingKeys } from '../../../src/scrape/document/cache-key.ts'
import { compareTexts } from '../../../src/scrape/format/git-diff.ts'
import { trackChanges } from '../../../src/scrape/format/track-changes.ts'
import { ensureTeam } from '../../../src/teams/team-queries.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

let fixture: ScrapeFixture
let version = 1
let status = 200
beforeAll(async () => {
  fixture = await startScrapeFixture(
    {},
    {
      '/changing': ({ response }) => {
        response.setHeader('content-type', 'text/html')
        response.end(`<p>first</p><p>version ${version}</p><p>last</p>`)
      },
      '/unstable': ({ response }) => {
        response.statusCode = status
        response.setHeader('content-type', 'text/html')
        response.end(status === 200 ? '<p>the price is 10</p>' : '<p>the server is overloaded</p>')
      },
      '/contact': ({ response }) => {
        response.setHeader('content-type', 'text/html')
        response.end('<main><h1>Contact</h1><p>Write to ada@example.com at any time.</p></main>')
      },
    },
  )
})
afterAll(async () => fixture[Symbol.asyncDispose]())

test('a redacted page is not compared with what was stored without redaction', async () => {
  const formats = ['markdown', { type: 'changeTracking', modes: ['git-diff'], tag: 'redaction' }]
  const plain = await fixture.read('/contact', { formats })
  const redacted = await fixture.read('/contact', { formats, redactPII: true })
  const again = await fixture.read('/contact', { formats, redactPII: true })

  expect(plain['markdown']).toContain('ada@example.com')
  expect(redacted['changeTracking']).toMatchObject({ changeStatus: 'new' })
  expect(JSON.stringify(redacted)).not.toContain('ada@example.com')
  expect(again['changeTracking']).toMatchObject({ changeStatus: 'same' })
})

test.each([500, 503, 403, 429])('a response with status %i is not the next state of a page', async (failure) => {
  const read = async (statusCode: number) => {
    status = statusCode
    const formats = ['markdown', { type: 'changeTracking', modes: ['git-diff'], tag: `status ${failure}` }]
    const { changeTracking, warning } = await fixture.read('/unstable', { formats })
    return [changeTracking['changeStatus'], warning] as const
  }
  const warning = `The page responded with status ${failure}, so the next scrape is not compared with it, but with the last state before it.`

  expect(await read(failure)).toEqual(['new', warning])
  expect(await read(200)).toEqual(['new', undefined])
  expect(await read(failure)).toEqual(['changed', warning])
  expect(await read(200)).toEqual(['same', undefined])
})

test.each([
  [
    'other orders',
    { includeTags: ['p', 'h1'], excludeTags: ['b', 'i'] },
    { includeTags: ['h1', 'p'], excludeTags: ['i', 'b'] },
  ],
  ['empty lists', {}, { includeTags: [], excludeTags: [] }],
  ['the default location', {}, { location: { languages: [] } }],
  ['the default language', { location: { country: 'US' } }, { location: { country: 'us', languages: ['en-US'] } }],
  ['the language of a country', { location: { country: 'de' } }, { location: { country: 'DE', languages: ['de-DE'] } }],
  ['languages', { location: { languages: ['fr'] } }, { location: { country: 'US', languages: ['fr'] } }],
  ['redacted data', { redactPII: true }, { redactPII: { entities: ['SECRET', 'EMAIL', 'FINANCIAL', 'PHONE'] } }],
  ['no redaction', {}, { redactPII: false }],
])('a page has one history for all spellings of its options: %s', async (name, first, second) => {
  const formats = ['markdown', { type: 'changeTracking', tag: `spelling: ${name}` }]
  await fixture.read('/contact', { formats, ...first })
  const { changeTracking } = await fixture.read('/contact', { formats, ...second })

  expect(changeTracking['changeStatus']).toBe('same')
})

describe('the history of a page from before all spellings had the same one', () => {
  const request = (options: object) => scrapeRequest.parse({ url: 'https://example.com/a', ...options })
  test.each([
    ['{}', {}],
    ['a selector', { includeTags: ['p'], redactPII: true }],
    ['a country', { location: { country: 'de' } }],
    ['languages', { location: { languages: ['fr', 'de'] } }],
  ])('has the same key for %s', (_, options) => {
    const { trackingKey, formerTrackingKey } = trackingKeys(request(options), null)

    expect(trackingKey).toBe(formerTrackingKey)
  })
})

test('a page has another history for another fragment, which its scripts can read', () => {
  const keysOf = (fragment: string) =>
    Object.values(trackingKeys(scrapeRequest.parse({ url: `https://example.com/a${fragment}` }), null))

  expect(keysOf('#')).toEqual(keysOf(''))
  for (const key of keysOf('#one')) expect([...keysOf('#two'), ...keysOf('')]).not.toContain(key)
})

test('a document has another history for other parsers, but not for another spelling of the default', () => {
  const keyOf = (options: object) =>
    trackingKeys(scrapeRequest.parse({ url: 'https://example.com/a.pdf', ...options }), null)
  const usual = keyOf({})

  expect(keyOf({ parsers: ['pdf'] })).toEqual(usual)
  for (const parsers of [[], [{ type: 'pdf', maxPages: 1 }]]) {
    expect(keyOf({ parsers }).trackingKey).not.toBe(usual.trackingKey)
    expect(keyOf({ parsers }).formerTrackingKey).not.toBe(usual.formerTrackingKey)
  }
})

describeEachStore('a page that an earlier version tracked by another key', (openStore) => {
  test('keeps its history, and is compared with its latest state', async () => {
    await using store = await openStore()
    const { id: teamId } = await ensureTeam(store.db, { name: 'trackers' })
    const options = { includeTags: ['p', 'h1'], redactPII: { entities: ['PHONE', 'EMAIL'] } }
    const keys = trackingKeys(scrapeRequest.parse({ url: 'https://example.com/a', ...options }), null)
    const { formerTrackingKey } = keys
    const format = { type: 'changeTracking' as const, modes: [], tag: null }
    const scrape = async (markdown: string, by: object = {}) => {
      const compareLongTexts = async (before: string, after: string) => compareTexts(before, after)
      const state = { teamId, ...keys, ...by, markdown, statusCode: 200, extract: undefined, compareLongTexts }
      const { changeTracking, save } = await trackChanges(store, format, state)
      await save(store.db)
      return changeTracking.changeStatus
    }

    expect(keys.trackingKey).not.toBe(formerTrackingKey)
    expect(await scrape('first', { trackingKey: formerTrackingKey })).toBe('new')
    expect(await scrape('second')).toBe('changed')
    expect(await scrape('second')).toBe('same')
  })
})

test.each([
  [{ schema: { type: 'object' } }, 'Not applied: `schema` of the format changeTracking.'],
  [
    { modes: ['git-diff'], schema: {}, prompt: 'x' },
    'Not applied: `schema` and `prompt` of the format changeTracking.',
  ],
  [{ modes: ['git-diff'] }, undefined],
])('fields of the mode `json` have a warning without it: %j', async (options, warning) => {
  const formats = ['markdown', { type: 'changeTracking', tag: 'unused', ...options }]
  const page = await fixture.read('/contact', { formats })

  expect(page['warning']?.replace(/ Add the mode.*/, '')).toBe(warning)
})

test('changes since the last scrape are reported per team and tag', async () => {
  const track = (tag: string) => ({
    formats: ['markdown', { type: 'changeTracking', modes: ['git-diff'], tag }],
    onlyMainContent: false,
  })
  const first = await fixture.read('/changing', track('a'))
  const same = await fixture.read('/changing', track('a'))
  version += 1
  const changed = await fixture.read('/changing', track('a'))
  const otherTag = await fixture.read('/changing', track('b'))

  expect(first['changeTracking']).toEqual({ previousScrapeAt: null, changeStatus: 'new', visibility: 'visible' })
  expect(same['changeTracking']).toMatchObject({ changeStatus: 'same', previousScrapeAt: expect.any(String) })
  expect(changed['changeTracking']['changeStatus']).toBe('changed')
  expect(changed['changeTracking']['diff']['text']).toContain(`-version ${version - 1}\n+version ${version}\n`)
  expect(changed['changeTracking']['diff']['json']['files'][0]['chunks'][0]['changes']).toContainEqual({
    type: 'add',
    add: true,
    ln: 3,
    content: `+version ${version}`,
  })
  expect(otherTag['changeTracking']['changeStatus']).toBe('new')
})
