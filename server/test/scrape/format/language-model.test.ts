import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { fixedPage } from '../../../../test/lab/pages/page.ts'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

interface Question {
  readonly authorization: string | undefined
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly response_format: { readonly type: string; readonly json_schema?: { readonly schema: unknown } }
}

const fixture = new AsyncDisposableStack()
const questions: Question[] = []
let answer: string | ((question: Question) => string) = '{}'
/** A response to send instead of an answer. */
let response: { readonly status: number; readonly body: string } | undefined
let scraping: ScrapeFixture

/** A language model with answers that the test sets. */
async function startModel(): Promise<string> {
  const server = createServer((request, reply) => {
    void text(request).then((body) => {
      const question = { ...(JSON.parse(body) as Question), authorization: request.headers.authorization }
      questions.push(question)
      const content = typeof answer === 'string' ? answer : answer(question)
      reply.statusCode = response?.status ?? 200
      reply.setHeader('content-type', 'application/json')
      reply.end(response?.body ?? JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  fixture.defer(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

beforeAll(async () => {
  const llmUrl = await startModel()
  scraping = fixture.use(
    await startScrapeFixture(
      { llmUrl, llmModel: 'small', llmKey: 'k-1' },
      {
        '/long': fixedPage('Long', longText),
        '/empty': fixedPage('Empty', ''),
        '/contact': fixedPage('Contact', '<p>Write to ada@example.com.</p>'),
      },
    ),
  )
})
afterAll(async () => fixture.disposeAsync())

const longText = `<p>${'word '.repeat(41_000)}</p>`

const schema = { type: 'object', properties: { title: { type: 'string' } } }

test('data is extracted from the Markdown of a page, by schema and prompt, for five credits', async () => {
  answer = '```json\n{"title":"The harbour"}\n```'

  const page = await scraping.read('/article', { formats: [{ type: 'json', schema, prompt: 'What is it called?' }] })

  expect(page['json']).toEqual({ title: 'The harbour' })
  expect(page['markdown']).toBeUndefined()
  expect(page['metadata']['creditsUsed']).toBe(5)
  const question = questions.at(-1)!
  expect(question).toMatchObject({ model: 'small', authorization: 'Bearer k-1' })
  expect(question.response_format.json_schema?.schema).toEqual(schema)
  expect(question.messages.at(-1)?.content).toContain('What is it called?')
  expect(question.messages.at(-1)?.content).toContain('# The harbour')
})

test.each([
  [schema, '{"title":7}', 'The data of the language model does not match the schema: data/title must be string.'],
  [
    { $ref: '#/$defs/missing' },
    '{"title":"The harbour"}',
    'The data of the language model was not checked against the schema. Invalid JSON schema: ',
  ],
])('data that does not match its schema %j comes with a warning', async (wanted, given, warning) => {
  answer = given

  const page = await scraping.read('/article', { formats: [{ type: 'json', schema: wanted }], maxAge: 0 })

  expect(page['json']).toEqual(JSON.parse(given))
  expect(page['warning']).toContain(warning)
})

test.each([
  { formats: [{ type: 'json', schema: { type: 'nope' } }] },
  { formats: ['markdown', { type: 'changeTracking', modes: ['json'], schema: { type: 'nope' } }] },
])('an invalid schema is refused before the page is loaded: %j', async (options) => {
  const before = scraping.site.requests.all.length
  const { status, body } = await scraping.scrape('/article', { ...options, maxAge: 0 })
  const batch = await scraping.lab.api('POST', '/v2/batch/scrape', {
    urls: [scraping.site.url('/article')],
    ...options,
  })

  expect([status, batch.status]).toEqual([400, 400])
  expect([body['error'], batch.body['error']]).toEqual(Array(2).fill(expect.stringContaining('schema.type is "nope"')))
  expect(scraping.site.requests.all.length).toBe(before)
})

test('data that is nested too deeply is refused', async () => {
  answer = `{"boat":${'['.repeat(3000)}${']'.repeat(3000)}}`

  const { status, body } = await scraping.scrape('/article', { formats: [{ type: 'json', schema }], maxAge: 0 })

  expect(status).toBe(500)
  expect(body).toMatchObject({ code: 'EXTRACTION_FAILED', error: expect.stringContaining('more than 200 levels') })
})

test.each([
  ['question', { type: 'question', question: 'Who built it?' }, 'Who built it?'],
  ['query', { type: 'query', prompt: 'Who built it?', mode: 'directQuote' }, 'word for word'],
])('a %s about a page is answered, for five credits', async (_name, format, asked) => {
  answer = '{"answer":" Masons. "}'

  const page = await scraping.read('/article', { formats: [format] })

  expect(page).toMatchObject({ answer: 'Masons.', metadata: { creditsUsed: 5 } })
  expect(page['markdown']).toBeUndefined()
  expect(questions.at(-1)?.messages.at(-1)?.content).toContain(asked)
})

test('a page without text is not given to the model, and has the price of a page, also from the cache', async () => {
  const asked = questions.length
  const formats = [{ type: 'json', schema }, 'summary', { type: 'question', question: 'Who built it?' }]

  const page = await scraping.read('/empty', { formats, maxAge: 60_000 })
  const again = await scraping.read('/empty', { formats, maxAge: 60_000 })

  const warning = 'The page has no text from which to make: json, summary, question.'
  expect(page).toEqual({ warning: expect.stringContaining(warning), metadata: expect.anything() })
  expect(questions).toHaveLength(asked)
  expect([page, again].map(({ metadata }) => [metadata.cacheState, metadata.creditsUsed])).toEqual([
    ['miss', 1],
    ['hit', 1],
  ])
})

test('highlights are the passages that the model selects, word for word', async () => {
  answer = '{"passages":[99,0,0]}'

  const page = await scraping.read('/article', { formats: ['markdown', { type: 'highlights', query: 'boats' }] })

  expect(page['highlights'].split('\n')[0]).toBe(page['markdown'].split('\n')[0])
  expect(page['markdown']).toContain(page['highlights'])
})

test('personal data is redacted before the model reads the page, for four credits more', async () => {
  answer = '{"answer":"unknown"}'
  const format = { type: 'question', question: 'Whom to write to?' }

  const page = await scraping.read('/contact', { formats: ['markdown', format], redactPII: true })

  expect(page['markdown']).toBe('Write to [EMAIL].\n')
  expect(questions.at(-1)?.messages.at(-1)?.content).not.toContain('ada@')
  expect(page['metadata']['creditsUsed']).toBe(9)
})

test('API v1 accepts jsonOptions and extract', async () => {
  answer = '{"title":"old"}'
  const url = scraping.site.url('/article')

  const json = await scraping.lab.api('POST', '/v1/scrape', {
    url,
    formats: ['json'],
    jsonOptions: { schema },
    maxAge: 0,
  })
  const extract = await scraping.lab.api('POST', '/v1/scrape', {
    url,
    formats: ['extract'],
    extract: { prompt: 'x' },
    maxAge: 0,
  })

  expect(json.body['data']['json']).toEqual({ title: 'old' })
  expect(extract.body['data']['extract']).toEqual({ title: 'old' })
  const { scrapeId } = extract.body['data']['metadata']
  const read = async (version: string) => (await scraping.lab.api('GET', `/${version}/scrape/${scrapeId}`)).body['data']
  expect(await read('v1')).toMatchObject({ extract: { title: 'old' } })
  expect(await read('v2')).not.toHaveProperty('extract')
})

test.each([
  ['json', { type: 'json', schema }],
  ['summary', 'summary'],
  ['changeTracking', { type: 'changeTracking', modes: ['json'], schema }],
])('a warning states that the model received only part of a long page: %s', async (_, format) => {
  answer = '{"title":"a","summary":"b"}'

  const long = await scraping.read('/long', { formats: ['markdown', format] })
  const short = await scraping.read('/article', { formats: ['markdown', format] })

  expect(long['warning']).toMatch(/The language model got the first 200,000 of 20\d,\d{3} characters/)
  expect(short['warning']).toBeUndefined()
})

test('changes of single fields are reported', async () => {
  const formats = ['markdown', { type: 'changeTracking', modes: ['json'], schema }]
  answer = '{"title":"before","same":1}'
  await scraping.read('/headers', { formats, headers: { 'x-turn': '1' } })
  answer = '{"title":"after","same":1}'

  const page = await scraping.read('/headers', { formats, headers: { 'x-turn': '2' } })

  expect(page['changeTracking']['json']).toEqual({ title: { previous: 'before', current: 'after' } })
})

test('changes of single fields are found with the stored Markdown if the last scrape extracted other data, or none', async () => {
  const track = async (turn: string, format: object) => {
    const formats = ['markdown', { type: 'changeTracking', tag: 'mixed', ...format }]
    const page = await scraping.read('/headers', { formats, headers: { 'x-turn': turn } })
    return page['changeTracking']['json'] as unknown
  }
  answer = ({ messages }) => JSON.stringify({ turn: /"x-turn":"(\w+)"/.exec(messages.at(-1)!.content)?.[1] })
  await track('one', { modes: ['git-diff'] })

  expect(await track('two', { modes: ['json'], schema })).toEqual({ turn: { previous: 'one', current: 'two' } })
  const asked = questions.length
  expect(await track('three', { modes: ['json'], schema })).toEqual({ turn: { previous: 'two', current: 'three' } })
  expect(questions).toHaveLength(asked + 1)
  expect(await track('four', { modes: ['json'], prompt: 'Which turn?' })).toEqual({
    turn: { previous: 'three', current: 'four' },
  })
})

test('an answer that is not JSON fails the scrape, which costs nothing', async () => {
  answer = 'I would rather not.'

  const { status, body } = await scraping.scrape('/article', { formats: ['json'] })

  expect(status).toBe(500)
  expect(body['code']).toBe('EXTRACTION_FAILED')
})

describe('the error of a service that fails does not quote its response, which can contain text of the page', () => {
  afterEach(() => {
    response = undefined
  })
  const quoting = 'Invalid prompt: # The harbour'
  test.each([
    [400, { error: { message: quoting, type: 'invalid_request_error', code: null } }, ' (invalid_request_error)'],
    [
      404,
      { error: { message: quoting, type: 'invalid_request_error', code: 'model_not_found' } },
      ' (model_not_found)',
    ],
    [500, { error: { message: quoting, code: quoting } }, ''],
    [502, quoting, ''],
  ])('with status %i', async (status, body, code) => {
    response = { status, body: typeof body === 'string' ? body : JSON.stringify(body) }

    for (const format of ['json', 'summary', { type: 'question', question: 'Where?' }]) {
      const { body: failed } = await scraping.scrape('/article', { formats: [format] })
      expect(failed['error']).toBe(`The language model extracted nothing: it responded with status ${status}${code}`)
    }
  })

  test('with a response that is not JSON', async () => {
    response = { status: 200, body: quoting }

    const { body } = await scraping.scrape('/article', { formats: ['json'] })

    expect(body['error']).toBe('The language model extracted nothing: its response is not valid JSON')
  })

  test('with a response above 20 MB', async () => {
    response = { status: 200, body: 'x'.repeat(20_000_001) }

    const { body } = await scraping.scrape('/article', { formats: ['json'] })

    expect(body['error']).toBe('The language model extracted nothing: the response is larger than 20000000 bytes')
  })
})
