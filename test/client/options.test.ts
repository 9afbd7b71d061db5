import { describe, expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'

const options = { baseUrl: 'http://127.0.0.1:1', apiKey: 'fc-0123456789abcdef', reaper: false, retries: 0 }
const bowline = new Bowline(options)
function nothing(): undefined {
  return undefined
}

describe('an unknown option', () => {
  test.each<readonly [string, () => unknown, string, string]>([
    ['new Bowline()', () => new Bowline({ ...options, apikey: 'x' } as object), 'apikey', 'apiKey'],
    ['withSession()', async () => bowline.withSession({ tll: 5 } as object, nothing), 'tll', 'ttl'],
    ['withSession()', async () => bowline.withSession({ timeOutMs: 5 } as object, nothing), 'timeOutMs', 'timeoutMs'],
    [
      'sessions.create()',
      async () => bowline.sessions.create({ ttl: 60, activityTTL: 5 } as object),
      'activityTTL',
      'activityTtl',
    ],
    [
      'sessions.create(), in the profile',
      async () => bowline.sessions.create({ profile: { name: 'x', saveChange: false } } as object),
      'profile.saveChange',
      'saveChanges',
    ],
    [
      'sessions.create(), in the recording',
      async () => bowline.sessions.create({ record: { har: { bodie: false } } } as object),
      'record.har.bodie',
      'bodies',
    ],
    [
      'sessions.create(), second argument',
      async () => bowline.sessions.create({}, { detach: true } as object),
      'detach',
      'detached',
    ],
    ['sessions.list()', async () => bowline.sessions.list({ state: 'active' } as object), 'state', 'status'],
    [
      'sessions.get()',
      async () => bowline.sessions.get('x', { signals: undefined, sginal: 1 } as object),
      'sginal',
      'signal',
    ],
    [
      'scrape()',
      async () => bowline.scrape('https://example.com', { format: ['html'] } as object),
      'format',
      'formats',
    ],
    [
      'scrape(), in an object',
      async () => bowline.scrape('https://example.com', { location: { county: 'DE' } } as object),
      'location.county',
      'country',
    ],
    [
      'crawl(), with a part of the name',
      async () => bowline.crawl('https://example.com', { maxDepth: 2 } as object),
      'maxDepth',
      'maxDiscoveryDepth',
    ],
    [
      'crawl()',
      async () => bowline.crawl('https://example.com', { scrapeOptions: { onlyMain: true, waitfor: 1 } } as object),
      'scrapeOptions.onlyMain',
      '',
    ],
    [
      'crawl(), third argument',
      () => bowline.crawl('https://example.com', {}, { onprogress: nothing } as object),
      'onprogress',
      'onProgress',
    ],
    [
      'crawl(), in the wrong object',
      async () => bowline.crawl('https://example.com', { formats: ['html'] } as object),
      'formats',
      'scrapeOptions.formats',
    ],
    ['pool()', () => bowline.pool({ sizes: 3 } as object), 'sizes', 'size'],
    ['pool(), for its sessions', () => bowline.pool({ session: { tll: 60 } as object }), 'tll', 'ttl'],
    ['pool(), for retries', () => bowline.pool({ retries: { pages: 1 } as object }), 'pages', 'page'],
    ['run()', () => bowline.pool().run([1], nothing, { onProgress: nothing } as object), 'onProgress', ''],
    ['usage.history()', async () => bowline.usage.history({ byApikey: true } as object), 'byApikey', 'byApiKey'],
    ['monitors.checks()', async () => bowline.monitors.checks('x', { limits: 3 } as object), 'limits', 'limit'],
  ])('is refused by %s', async (_, act, option, suggestion) => {
    const error: unknown = await (async () => act())().catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`has no option \`${option}\``),
    })
    if (suggestion !== '') expect(error).toMatchObject({ hint: `Did you mean \`${suggestion}\`?` })
  })

  test('of an object is refused with the options that it has', async () => {
    await expect(bowline.sessions.create({ profile: { name: 'a', wait: 30 } } as object)).rejects.toMatchObject({
      message: 'POST /v2/browser has no option `profile.wait`',
      hint: '`profile` has `name`, `saveChanges`.',
    })
  })

  test('of the client is refused among those of the server, with its place', async () => {
    await expect(bowline.batchScrape(['https://example.com'], { idempotencyKey: 'a' } as object)).rejects.toMatchObject(
      {
        message: 'POST /v2/batch/scrape has no option `idempotencyKey`',
        hint: 'Pass `idempotencyKey` in the next argument: it is an option of the client, not of the server.',
      },
    )
  })

  test('of `new Bowline()` is refused by a function, with its place', async () => {
    await expect(bowline.withSession({ reaper: false } as object, nothing)).rejects.toMatchObject({
      message: 'withSession() has no option `reaper`',
      hint: 'Pass it to `new Bowline()`.',
    })
  })

  test('is ignored if it is undefined', async () => {
    await expect(bowline.sessions.create({ tll: undefined } as object)).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
    })
  })
})

describe('options that are not an object are refused by', () => {
  const absent = undefined as unknown as object
  const empty = null as unknown as object
  test.each<readonly [string, string, () => unknown]>([
    ['withSession()', 'undefined', async () => bowline.withSession(absent, nothing)],
    ['withSession()', 'null', async () => bowline.withSession(empty, nothing)],
    ['sessions.create()', 'null', async () => bowline.sessions.create(empty)],
    ['sessions.create()', 'a string', async () => bowline.sessions.create('60' as unknown as object)],
    ['sessions.delete()', 'null', async () => bowline.sessions.delete('x', empty)],
    ['pool()', 'null', () => bowline.pool(empty)],
  ])('%s: %s', async (name, given, act) => {
    await expect((async () => act())()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `${name} needs an object as its options, got ${given}`,
    })
  })
})

describe('a `signal` that is not an AbortSignal is refused by', () => {
  const wrong = { signal: {} as AbortSignal }
  test.each<readonly [string, () => Promise<unknown>]>([
    ['withSession()', async () => bowline.withSession(wrong, nothing)],
    ['sessions.create()', async () => bowline.sessions.create({}, wrong)],
    ['GET /v2/browser', async () => bowline.sessions.list({}, wrong)],
  ])('%s', async (name, act) => {
    await expect(act()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `\`signal\` of ${name} is not an AbortSignal`,
    })
  })
})

describe('a `timeout` that is not a number is refused with its unit by', () => {
  const text = { timeout: '8s' } as unknown as { timeout: number }
  test.each<readonly [string, () => Promise<unknown>, string]>([
    ['scrape()', async () => bowline.scrape('https://example.com', text), 'milliseconds'],
    ['search()', async () => bowline.search('knots', text), 'milliseconds'],
    ['map()', async () => bowline.map('https://example.com', text), 'milliseconds'],
    ['parse()', async () => bowline.parse(new File(['a'], 'a.csv'), text), 'milliseconds'],
  ])('%s', async (_, act, unit) => {
    await expect(act()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `\`timeout\` must be a number of ${unit}, got "8s"`,
    })
  })
})

test.each<readonly [string, object, unknown]>([
  [
    'a driver that is a browser library',
    { driver: { name: () => 'chromium', connect: async () => undefined } },
    () => 1,
  ],
  ['a driver that is a name', { driver: 'playwright' }, () => 1],
  ['no function', {}, undefined],
  ['a time limit of 0', { timeoutMs: 0 }, () => 1],
  ['no time limit but a text', { timeoutMs: 'long' }, () => 1],
])('withSession() with %s is refused before a session is created', async (_, options, work) => {
  // Nothing listens at this address: a request would reject with CONNECTION_FAILED.
  await using other = new Bowline({ baseUrl: 'http://127.0.0.1:9', apiKey: 'bl-key', reaper: false, retries: 0 })

  await expect(other.withSession(options as never, work as never)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('a pool refuses an invalid driver, and a run without a function', async () => {
  await using other = new Bowline({ baseUrl: 'http://127.0.0.1:9', apiKey: 'bl-key', reaper: false })

  expect(() => other.pool({ driver: 'playwright' as never })).toThrow('`driver` of pool() is not a driver')
  expect(() => other.pool({ size: 1 }).run([1], undefined as never)).toThrow('run() needs a function')
})
