import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { getOrCreateSetting } from '../../src/store/settings.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'

describeEachStore('settings', (openStore) => {
  test('a setting is created once', async () => {
    await using store = await openStore()

    const first = await getOrCreateSetting(store.db, 'secret', () => 'one')
    const second = await getOrCreateSetting(store.db, 'secret', () => 'two')

    expect([first, second]).toEqual(['one', 'one'])
  })

  test('servers that start at once agree on a setting', async () => {
    await using store = await openStore()

    const values = await Promise.all(Array.from({ length: 10 }, () => getOrCreateSetting(store.db, 'secret', uuidV7)))

    expect(new Set(values).size).toBe(1)
  })
})
