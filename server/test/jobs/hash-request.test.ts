import { describe, expect, test } from 'vitest'
import { batchRequest } from '../../../src/contract/batch.ts'
import { crawlRequest } from '../../../src/contract/crawl.ts'
import { sha256 } from '../../../src/kit/sha256.ts'
import { hashRequest } from '../../src/jobs/hash-request.ts'

const urls = ['https://example.com/a', 'https://example.com/b']

/** Hashes a batch with these options, as the route does. */
function hashOfBatch(options: object): string {
  return hashRequest(batchRequest.parse({ urls, ...options })).requestHash
}

function hashOfCrawl(options: object): string {
  return hashRequest(crawlRequest.parse({ url: 'https://example.com/', ...options })).requestHash
}

test('the hash of a request is without its speed and the name of the client', () => {
  const hash = hashOfBatch({ timeout: 1000 })

  expect(hashOfBatch({ timeout: 1000, maxConcurrency: 5, origin: 'js', integration: 'x' })).toBe(hash)
  expect(hashOfBatch({ timeout: 2000 })).not.toBe(hash)
})

test('the former hashes are those that earlier versions stored', () => {
  const hashOf = (request: object): string => sha256(JSON.stringify(request)).toString('hex')
  const request = { includeTags: ['p', 'h1'], actions: [] }

  expect(hashRequest({ ...request, maxConcurrency: 5, origin: 'js' }).formerRequestHashes).toEqual([
    hashOf(request),
    hashOf({ ...request, maxConcurrency: 5 }),
  ])
})

describe('the hash of a batch', () => {
  test.each([
    ['formats', { formats: ['markdown', 'links'] }, { formats: ['links', 'markdown'] }],
    ['selectors', { includeTags: ['p', 'h1'] }, { includeTags: ['h1', 'p'] }],
    ['headers', { headers: { 'X-A': '1', 'x-b': '2' } }, { headers: { 'x-b': '2', 'x-a': '1' } }],
    ['domains', { allowedDomains: ['a.com', 'b.com'] }, { allowedDomains: ['b.com', 'a.com'] }],
    ['parsers', { parsers: ['image', 'pdf'] }, { parsers: [{ type: 'pdf', blocks: false }, 'image'] }],
    ['pages of PDFs', { parsers: [{ type: 'pdf', pages: true }] }, { parsers: [{ type: 'pdf', pageMarkdown: true }] }],
    [
      'events',
      { webhook: { url: 'https://a.com', events: ['page', 'failed'] } },
      {
        webhook: { url: 'https://a.com', events: ['failed', 'page'] },
      },
    ],
    [
      'a schema',
      { formats: [{ type: 'json', schema: { a: 1, b: 2 } }] },
      {
        formats: [{ type: 'json', schema: { b: 2, a: 1 }, checkPromptInjection: true }],
      },
    ],
    [
      'modes',
      { formats: ['markdown', { type: 'changeTracking', modes: ['json', 'git-diff'] }] },
      {
        formats: [{ type: 'changeTracking', modes: ['git-diff', 'json'] }, 'markdown'],
      },
    ],
    ['a country', { location: { country: 'us' } }, { location: { country: 'US', languages: [] } }],
    ['the default location', {}, { location: { country: 'us', languages: ['en-US'] } }],
    [
      'the language of a country',
      { location: { country: 'de' } },
      { location: { country: 'DE', languages: ['de-DE'] } },
    ],
    [
      'the default viewport',
      { formats: ['screenshot'] },
      {
        formats: [{ type: 'screenshot', viewport: { width: 1280, height: 720 } }],
      },
    ],
    [
      'the profile',
      { profile: { name: 'a', saveChanges: true } },
      { profile: { name: 'a', save_changes: 'on-success' } },
    ],
    [
      'redaction',
      { redactPII: true },
      { redactPII: { mode: 'fast', entities: ['SECRET', 'PHONE', 'FINANCIAL', 'EMAIL'] } },
    ],
    ['no actions', {}, { actions: [] }],
    ['no headers', {}, { headers: {} }],
    ['no selectors', {}, { includeTags: [], excludeTags: [] }],
    ['no redaction', {}, { redactPII: false }],
    ['no threat protection', {}, { threatProtection: { mode: 'off' } }],
    ['options without effect', {}, { useMock: 'a', domainTools: true, toolDetail: 'compact' }],
    ['the user', {}, { auditMetadata: { username: 'ada' } }],
  ])('is the same for other spellings: %s', (_, first, second) => {
    expect(hashOfBatch(second)).toBe(hashOfBatch(first))
  })

  test.each([
    ['another order of URLs', {}, { urls: urls.toReversed() }],
    ['other selectors', { includeTags: ['p'] }, { includeTags: ['p', 'h1'] }],
    ['selectors that exclude', { includeTags: ['p'] }, { excludeTags: ['p'] }],
    ['another country', {}, { location: { country: 'de' } }],
    [
      'another order of actions',
      { actions: [{ type: 'scrape' }, { type: 'wait', milliseconds: 1 }] },
      {
        actions: [{ type: 'wait', milliseconds: 1 }, { type: 'scrape' }],
      },
    ],
    [
      'the viewport of a desktop on a phone',
      { mobile: true, formats: ['screenshot'] },
      {
        mobile: true,
        formats: [{ type: 'screenshot', viewport: { width: 1280, height: 720 } }],
      },
    ],
    ['other data to redact', { redactPII: true }, { redactPII: { entities: ['EMAIL'] } }],
  ])('differs for %s', (_, first, second) => {
    expect(hashOfBatch(second)).not.toBe(hashOfBatch(first))
  })
})

describe('the hash of a crawl', () => {
  test.each([
    [
      'options of its pages',
      { scrapeOptions: { formats: ['links', 'html'] } },
      {
        scrapeOptions: { formats: ['html', 'links'], actions: [] },
      },
    ],
    ['paths', { includePaths: ['/a', '/b'] }, { includePaths: ['/b', '/a'] }],
    [
      'options without effect',
      {},
      { deduplicateSimilarURLs: true, robotsUserAgent: 'x', crawlEntireDomain: false, prompt: ' ' },
    ],
    ['retention', { zeroDataRetention: true }, { scrapeOptions: { zeroDataRetention: true } }],
    ['its speed', {}, { delay: 2, maxConcurrency: 3 }],
  ])('is the same for other spellings: %s', (_, first, second) => {
    expect(hashOfCrawl(second)).toBe(hashOfCrawl(first))
  })

  test.each([
    ['a limit', { limit: 2 }],
    ['a prompt', { prompt: 'Only news' }],
    ['other paths', { excludePaths: ['/a'] }],
  ])('differs for %s', (_, options) => {
    expect(hashOfCrawl(options)).not.toBe(hashOfCrawl({}))
  })

  test('differs for options that only API v1 has', () => {
    const request = crawlRequest.parse({ url: 'https://example.com/' })

    expect(hashRequest(request, { maxPathDepth: 1 }).requestHash).not.toBe(hashRequest(request).requestHash)
  })
})
