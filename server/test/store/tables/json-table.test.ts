import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { json, jsonb, JsonTable, queriedJson } from '../../../src/store/tables/json-table.ts'
import { describeEachStore } from '../../../../test/lab/stores.ts'

const count = z.object({ count: z.number() })
const boats = new JsonTable('boat', { plan: json(z.unknown()), lastTrip: jsonb(count) })

describe('a JSON column', () => {
  test.each([
    ['is not JSON', '{', 'it is not JSON'],
    ['does not match its schema', '{"count":"two"}', 'count: Invalid input: expected number, received string'],
  ])('that %s is an error with its table, column and row', (_, lastTrip, reason) => {
    expect(() => boats.read({ id: 'b1', lastTrip })).toThrow(
      expect.objectContaining({
        code: 'STORED_VALUE_INVALID',
        message: `Column last_trip of row b1 in table boat cannot be read: ${reason}`,
      }),
    )
  })

  test('that cannot be read leaves its row out of a list, and the others in it', () => {
    const errors: string[] = []
    const rows = ['{"count":1}', '[]', null].map((lastTrip, index) => ({ id: `b${index}`, lastTrip }))

    const read = boats.readAll(rows, ({ message }) => errors.push(message))

    expect(read).toEqual([
      { id: 'b0', lastTrip: { count: 1 } },
      { id: 'b2', lastTrip: undefined },
    ])
    expect(errors).toEqual([expect.stringContaining('Column last_trip of row b1 in table boat')])
  })

  test('stores null as JSON only if its schema accepts it, and leaves undefined out', () => {
    expect(boats.write({ id: 'b1', plan: null, lastTrip: null })).toEqual({ id: 'b1', plan: 'null', lastTrip: null })
    expect(boats.write({ plan: undefined, lastTrip: undefined })).toEqual({ plan: undefined, lastTrip: undefined })
  })
})

describeEachStore('a JSON column of a database', (openStore) => {
  // `\\u0000` is a backslash and five characters, which every type can store.
  const value = { 'b\0': 'a\0b\0\0', a: ['\ud800', '\udc00x', '⛵', String.raw`\u0000 \\u0000 \ud800`] }

  test.each([
    ['json', json, value, ['b\0', 'a']],
    [
      'json',
      queriedJson,
      { 'b\ufffd': 'a\ufffdb\ufffd\ufffd', a: ['\ufffd', '\ufffdx', '⛵', String.raw`\u0000 \\u0000 \ud800`] },
      ['b\ufffd', 'a'],
    ],
    [
      'jsonb',
      jsonb,
      { a: ['\ufffd', '\ufffdx', '⛵', String.raw`\u0000 \\u0000 \ud800`], 'b\ufffd': 'a\ufffdb\ufffd\ufffd' },
      ['a', 'b\ufffd'],
    ],
  ] as const)(
    'of type %s returns U+0000 and half surrogate pairs as the type can store them',
    async (type, column, expected, keys) => {
      await using store = await openStore()
      const table = new JsonTable('value', { value: column(z.record(z.string(), z.unknown())) })
      const text = table.serialize('value', value)

      const { rows } = await sql<{ value: string }>`
        select ${text}::text::${sql.raw(type)} as value`.execute(store.db)
      const read = table.read(rows[0]!).value

      expect(read).toEqual(expected)
      expect(Object.keys(read)).toEqual(keys)
    },
  )
})
