import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readTimeRange } from '../../../src/contract.ts'
import { toCategory } from '../../src/search/categories.ts'
import { createIndexProvider } from '../../src/search/index-provider.ts'
import { PageIndexer } from '../../src/search/page-indexer.ts'
import { readKeyCounts } from '../../src/search/word-count-queries.ts'
import type { ProviderQuery } from '../../src/search/provider.ts'
import type { Store } from '../../src/store/store.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'
import { noSignal, webQuery } from './fixture.ts'

interface Page {
  readonly url: string
  readonly title?: string
  readonly text?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly isPartial?: boolean
}

function onError(error: unknown): never {
  throw error
}

/** Indexes pages for a new team. Searches return the paths of the results. */
async function fill(store: Store, pages: readonly Page[]) {
  const { team } = await makeTeam(store.db)
  await using index = new PageIndexer({ store, maxPages: 1000, onError })
  for (const { url, title = '', text = '', metadata = {}, isPartial = false } of pages) {
    index.add({ teamId: team.id, url, markdown: text, metadata: { title, ...metadata }, isPartial })
  }
  await index.waitForPending()
  const provider = createIndexProvider(store)
  const ask = async (query: string, changes: Partial<ProviderQuery> = {}) =>
    provider.search(webQuery(query, { teamId: team.id, ...changes }), noSignal)
  return {
    teamId: team.id,
    index,
    ask,
    urls: async (query: string, changes?: Partial<ProviderQuery>) =>
      (await ask(query, changes)).results.map(({ url }) => url.replace('http://', '')),
  }
}

const harbour: readonly Page[] = [
  { url: 'http://a.example/harbour', title: 'The harbour', text: '# The harbour\n\nBoats were running in at night.' },
  {
    url: 'http://docs.a.example/guide/boats',
    title: 'Guide to boats',
    text: 'How a boat runs, **and** why. See harbour.',
  },
  { url: 'http://b.example/red-shoes', title: 'Shoes', text: 'Red shoes for the night, and running ones.' },
  { url: 'http://b.example/blog/harbour', title: 'News', text: 'Night boats leave the harbour. Shoes are blue.' },
]

describeEachStore('the index', (openStore) => {
  test.each(['%', '"???"', '()', '🎉', '% OR !!!'])(
    'finds no pages for %s, which has no words, and says so',
    async (query) => {
      await using store = await openStore()
      const { ask } = await fill(store, harbour)

      expect(await ask(query)).toEqual({ results: [], warnings: [expect.stringContaining('no letters or digits')] })
      expect((await ask('% harbour')).results).not.toEqual([])
    },
  )

  test('keeps the text of a whole page when a part of it is scraped', async () => {
    await using store = await openStore()
    const [url, other] = ['http://a.example/harbour', 'http://a.example/pier']
    const { urls, index, teamId } = await fill(store, [
      { url, title: 'The harbour', text: 'Boats were running in at night.' },
      { url, title: 'The harbour', text: 'Only a lantern.', isPartial: true },
    ])
    index.add({ teamId, url, markdown: 'A single plank.', metadata: {}, isPartial: true })
    index.add({ teamId, url: other, markdown: 'A plank of the pier.', metadata: {}, isPartial: true })
    await index.waitForPending()

    expect(await urls('boats')).toEqual(['a.example/harbour'])
    expect(await urls('lantern')).toEqual([])
    expect(await urls('plank')).toEqual(['a.example/pier'])
  })

  test('finds pages by every operator', async () => {
    await using store = await openStore()
    const { urls } = await fill(store, harbour)
    const found = async (query: string) => (await urls(query)).toSorted()

    expect(await found('boat')).toEqual(['a.example/harbour', 'b.example/blog/harbour', 'docs.a.example/guide/boats'])
    expect(await found('"night boats"')).toEqual(['b.example/blog/harbour'])
    // Exact match: `run` does not match `running`.
    expect(await found('"boat run"')).toEqual([])
    expect(await found('harbour -boats -"red shoes"')).toEqual([])
    expect(await found('night -boats')).toEqual(['b.example/red-shoes'])
    expect(await found('night -"red shoes"')).toEqual(['a.example/harbour', 'b.example/blog/harbour'])
    expect(await found('site:a.example')).toEqual(['a.example/harbour', 'docs.a.example/guide/boats'])
    expect(await found('site:b.example/blog')).toEqual(['b.example/blog/harbour'])
    expect(await found('harbour -site:a.example')).toEqual(['b.example/blog/harbour'])
    expect(await found('inurl:harbour')).toEqual(['a.example/harbour', 'b.example/blog/harbour'])
    expect(await found('allinurl:guide boats')).toEqual(['docs.a.example/guide/boats'])
    expect(await found('shoes -inurl:blog')).toEqual(['b.example/red-shoes'])
    expect(await found('intitle:shoes')).toEqual(['b.example/red-shoes'])
    expect(await found('allintitle:guide boats')).toEqual(['docs.a.example/guide/boats'])
    expect(await found('harbour -intitle:harbour')).toEqual(['b.example/blog/harbour', 'docs.a.example/guide/boats'])
    expect(await found('related:docs.a.example')).toEqual(['a.example/harbour', 'b.example/blog/harbour'])
  })

  test('ranks pages with the words in their title first, with an excerpt of the text', async () => {
    await using store = await openStore()
    const { ask } = await fill(store, harbour)

    const { results, warnings } = await ask('harbour')

    expect(results[0]).toMatchObject({ url: 'http://a.example/harbour', title: 'The harbour' })
    expect(results[0]?.description).toContain('Boats were running in at night')
    expect(warnings).toEqual([])
  })

  test('relaxes a query that no page matches, with a warning', async () => {
    await using store = await openStore()
    const { ask } = await fill(store, harbour)

    const { results, warnings } = await ask('guide blue')

    expect(results).toHaveLength(2)
    expect(warnings).toEqual([expect.stringContaining('No page contains all of the words')])
  })

  test('filters by domain, category, time and team', async () => {
    await using store = await openStore()
    const { urls, ask } = await fill(store, [
      { url: 'http://a.example/old', text: 'boats', metadata: { publishedTime: '2020-05-05T00:00:00Z' } },
      { url: 'http://b.example/new', text: 'boats' },
      { url: 'http://github.com/boats', text: 'boats' },
      { url: 'http://c.example/paper.pdf', text: 'boats' },
    ])
    const other = await fill(store, [])
    const found = async (changes: Partial<ProviderQuery>) => (await urls('boats', changes)).toSorted()

    expect(await found({ includeDomains: ['a.example', 'b.example'] })).toEqual(['a.example/old', 'b.example/new'])
    expect(await found({ excludeDomains: ['example'] })).toEqual(['github.com/boats'])
    expect(await found({ categories: [toCategory({ type: 'github' }), toCategory({ type: 'pdf' })] })).toEqual([
      'c.example/paper.pdf',
      'github.com/boats',
    ])
    expect(await found({ range: readTimeRange('cdr:1,cd_min:05/05/2020,cd_max:05/05/2020') })).toEqual([
      'a.example/old',
    ])
    expect(await found({ range: readTimeRange('qdr:h') })).not.toContain('a.example/old')
    expect((await ask('boats', { limit: 2 })).results).toHaveLength(2)
    expect(await other.ask('boats')).toEqual({
      results: [],
      warnings: [expect.stringContaining('no pages of this team yet')],
    })
  })

  test('has a page once, however often its places were scraped', async () => {
    await using store = await openStore()
    const { urls } = await fill(
      store,
      ['/one', '/two#end', '/two', '/two#start'].map((path) => ({ url: `http://a.example${path}`, text: 'boats' })),
    )

    expect((await urls('boats', { limit: 2 })).toSorted()).toEqual(['a.example/one', 'a.example/two'])
  })

  test('has the routes of a single-page application as pages of their own', async () => {
    await using store = await openStore()
    const { urls } = await fill(
      store,
      ['/#/one', '/#!/two', '/'].map((path) => ({ url: `http://a.example${path}`, text: 'boats' })),
    )

    expect((await urls('boats')).toSorted()).toEqual(['a.example/', 'a.example/#!/two', 'a.example/#/one'])
  })

  test('supports other languages, and scripts without spaces', async () => {
    await using store = await openStore()
    const { urls } = await fill(store, [
      { url: 'http://a.example/de', text: 'Die Häuser am Hafen', metadata: { language: 'de' } },
      { url: 'http://a.example/ja', text: '東京の港に船が着いた', metadata: { language: 'ja' } },
    ])

    expect(await urls('Haus', { language: 'de' })).toEqual(['a.example/de'])
    expect(await urls('Hafen')).toEqual(['a.example/de'])
    expect(await urls('東京')).toEqual(['a.example/ja'])
    expect(await urls('京都')).toEqual([])
    expect(await urls('"港に船"')).toEqual(['a.example/ja'])
  })

  test('finds alternatives and file types', async () => {
    await using store = await openStore()
    const { urls } = await fill(store, [
      ...harbour,
      { url: 'http://b.example/boats.xlsx', title: 'Table', text: 'Boats by year.' },
    ])
    const found = async (query: string) => (await urls(query)).toSorted()

    expect(await found('red OR guide')).toEqual(['b.example/red-shoes', 'docs.a.example/guide/boats'])
    expect(await found('night "running in" OR "red shoes"')).toEqual(['a.example/harbour', 'b.example/red-shoes'])
    expect(await found('shoes site:docs.a.example OR site:b.example/blog')).toEqual(['b.example/blog/harbour'])
    expect(await found('boats filetype:xlsx')).toEqual(['b.example/boats.xlsx'])
    expect(await found('boats filetype:doc OR filetype:xlsx')).toEqual(['b.example/boats.xlsx'])
    expect(await found('year -filetype:xlsx')).toEqual([])
    for (const name of ['filetype', 'site', 'inurl', 'intitle']) {
      expect(await found(`boats ${name}:${'漢'.repeat(1500)}`)).toEqual([])
    }
    expect(await found('boats filetype:pdf')).toEqual([])
  })

  test('accepts any characters in queries and pages', async () => {
    await using store = await openStore()
    const evil = `' & | ! <-> :* \\ ( ) "" $$ ; drop table indexed_page -- %_`
    const { urls } = await fill(store, [
      {
        url: `http://a.example/?q=${encodeURIComponent(evil)}`,
        title: evil,
        text: `${evil}\0\ud800 ${'word '.repeat(50_000)}`,
      },
    ])

    expect(await urls(evil)).toHaveLength(1)
    expect(await urls(`intitle:"${evil.replaceAll('"', '')}" inurl:drop'table`)).toHaveLength(1)
    expect(await urls(`the and of`)).toEqual([])
    expect(await urls(`site:'x' -intitle:' related:'`)).toEqual([])
  })

  test('indexes a page once, with its newest text, and removes the oldest pages', async () => {
    await using store = await openStore()
    const { urls, teamId } = await fill(store, [...harbour, { ...harbour[0]!, text: 'Empty now.' }])
    await using index = new PageIndexer({ store, maxPages: 2, onError })

    expect(await urls('running')).not.toContain('a.example/harbour')
    await index.sweep()
    expect((await urls('-nothing', { teamId })).toSorted()).toEqual(['a.example/harbour', 'b.example/blog/harbour'])
    await index.sweep(new Date(Date.now() + 31 * 86_400_000))
    expect(await urls('-nothing', { teamId })).toEqual([])
  })

  test('ranks by rarity, title, nearness and length, in the language of the page', async () => {
    await using store = await openStore()
    const { urls } = await fill(store, library)
    const firsts = await Promise.all(Object.keys(answers).map(async (query) => [query, (await urls(query))[0]]))

    expect(Object.fromEntries(firsts)).toEqual(answers)
  })

  test('searches similar words instead of misspelt ones, never those of other teams', async () => {
    await using store = await openStore()
    const { ask } = await fill(store, library)
    const other = await fill(store, [{ url: 'http://c.example/', text: 'zeppelin' }])

    expect(await ask('lighthuose')).toMatchObject({
      results: [{ url: 'http://a.example/lamp' }],
      warnings: ['No page contains "lighthuose". Similar words are searched instead.'],
    })
    expect((await ask('zepelin')).results).toEqual([])
    expect((await other.ask('zepelin')).results).toHaveLength(1)
  })

  test('marks found words on request, or returns the description of the page', async () => {
    await using store = await openStore()
    const { ask } = await fill(store, [
      { url: 'http://a.example/', text: 'It was running.', metadata: { description: 'About runs' } },
    ])
    const described = async (highlights?: boolean) => (await ask('runs', { highlights })).results[0]?.description

    expect(await described()).toBe('It was running.')
    expect(await described(true)).toBe('It was **running**.')
    expect(await described(false)).toBe('About runs')
  })

  test('keeps the counts of words right as pages change and go, and while servers write at once', async () => {
    await using store = await openStore()
    const { teamId } = await makeTeam(store.db).then(({ team }) => ({ teamId: team.id }))
    await using first = new PageIndexer({ store, maxPages: 3, onError })
    await using second = new PageIndexer({ store, maxPages: 3, onError })
    const add = (index: PageIndexer, round: number, paths: readonly number[]): void => {
      for (const path of paths) {
        index.add({ teamId, url: `http://a.example/${path}`, markdown: `boat${path} round${round}`, metadata: {} })
      }
    }
    const count = async (...words: readonly string[]) =>
      Object.fromEntries(await readKeyCounts(store.db, teamId, words))

    for (const round of [0, 1, 2]) {
      add(first, round, [1, 2, 3, 4, 5, 6])
      add(second, round, [6, 5, 4, 3, 2, 1])
      await Promise.all([first.waitForPending(), second.waitForPending()])
    }
    await first.waitForPending()
    expect(await count('boat1', 'round2', 'all pages')).toEqual({ 'all pages': 6, boat1: 1, round2: 6 })
    await first.sweep()
    expect(await count('round2', 'all pages')).toEqual({ 'all pages': 3, round2: 3 })
    await sql`update indexed_page set length = null`.execute(store.db)
    await sql`delete from indexed_word`.execute(store.db)
    await first.sweep(new Date(0))
    expect(await count('round2', 'all pages')).toEqual({ 'all pages': 3, round2: 3 })
  })
})

const filler = 'The quay has ropes, nets and crates. '.repeat(20)

const library: readonly Page[] = [
  { url: 'http://a.example/lamp', title: 'Lamps', text: `A lighthouse has a lamp. ${filler}` },
  { url: 'http://a.example/night', title: 'Night', text: 'The boats leave at night, and night comes early.' },
  {
    url: 'http://a.example/ferry',
    title: 'Night ferry',
    text: 'It leaves daily. Tickets for the ferry are sold here.',
  },
  { url: 'http://a.example/long', title: 'Everything', text: `Tickets are sold. ${filler}` },
  { url: 'http://a.example/apart', title: 'Apart', text: 'A chart of the sea. Weather is fine, says the ice report.' },
  { url: 'http://a.example/near', title: 'Near', text: 'The sea ice is thick. A chart shows fine weather.' },
  { url: 'http://a.example/de', title: 'Wohnen', text: 'Die Häuser stehen am Hafen.', metadata: { language: 'de' } },
  { url: 'http://a.example/ja', title: '港', text: '東京の港に船が着いた', metadata: { language: 'ja' } },
  { url: 'http://a.example/ja2', title: '駅', text: '京都の駅に人が着いた', metadata: { language: 'ja' } },
]

/** Queries, and the page that is found first. */
const answers = {
  lamps: 'a.example/lamp',
  lighthouses: 'a.example/lamp',
  'night ferries': 'a.example/ferry',
  'early nights': 'a.example/night',
  'the night': 'a.example/night',
  tickets: 'a.example/ferry',
  'tickets sold': 'a.example/ferry',
  'sea ice': 'a.example/near',
  'ice report': 'a.example/apart',
  'weather chart zeppelin': 'a.example/near',
  Haus: 'a.example/de',
  Häuser: 'a.example/de',
  'häfen hafen': 'a.example/de',
  東京: 'a.example/ja',
  京都の駅: 'a.example/ja2',
  東京の船: 'a.example/ja',
  lightouse: 'a.example/lamp',
  'ferry tikets': 'a.example/ferry',
  'fery tickets': 'a.example/ferry',
  'thick ise': 'a.example/near',
}
