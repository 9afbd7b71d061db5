import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { TsVectors } from '../../src/search/tsvectors.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'

const texts: readonly (readonly [configuration: string, text: string])[] = [
  ['english', 'The boats were running in at night, and the boat of the night watch ran.'],
  [
    'english',
    `It's "quoted"; back\\slash, so-called up-to-date e-mail: ada@example.com (see https://example.com/a/b?c=d#e).`,
  ],
  ['english', 'Version 1.2.3 of 2026-11-21 costs -5 or +7.50 €, 1e-9 % of /usr/local/bin and ./start.sh ../up ~/home'],
  ['english', 'if a < b && c <= 5 then x=<3 or &amp; &copy; follow the 4<5 rule'],
  ['english', 'before <b class="x y">the tag</b> and <!-- a comment --> after it, running on'],
  ['english', 'qzx the separator itself qzx, xqzx and the end of it is the'],
  ['english', `${'word and '.repeat(400)} last`],
  ['english', Array.from({ length: 700 }, (_, index) => `name${index} of`).join(' ')],
  ['german', 'Die Häuser standen am Hafen; das Haus, das Boot und die Straßen-Laternen über 3,5 Kilometer.'],
  ['french', "L'été dernier, les bateaux quittaient le port aujourd'hui."],
  ['russian', 'Корабли уходили из гавани ночью, и корабль the boats возвращался'],
  ['simple', '夜の港から船が出る。 港の夜 night 漢字かな交じり文'],
  ['turkish', 'Gemiler limandan gece ayrıldı İstanbul'],
  ['english', ''],
]

describeEachStore('the vector of a text', (openStore) => {
  test('equals the result of to_tsvector, with and without cached chunks', async () => {
    await using store = await openStore()
    const vectors = new TsVectors(store.db)
    const all = texts.map(([configuration, text]) => ({ configuration, text }))

    const first = await vectors.read(all)
    const again = await vectors.read(all)

    expect(again).toEqual(first)
    for (const [index, { configuration, text }] of all.entries()) {
      const { rows } = await sql<{ ours: string; theirs: string }>`
        select ${first[index]}::tsvector::text as ours,
          to_tsvector(${configuration}::regconfig, ${` ${text}`})::text as theirs`.execute(store.db)
      expect(rows[0]?.ours, text.slice(0, 60)).toBe(rows[0]?.theirs)
    }
  })
})
