import type { KyselyPlugin } from 'kysely'
import type { Store } from '../../src/store/store.ts'
import { storeUnavailable } from '../../src/store/unavailable.ts'

/** Returns a store whose statements on these tables fail as if the connection was lost. */
export function unavailable(store: Store, tables: RegExp): Store {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (tables.test(JSON.stringify(node))) throw storeUnavailable(new Error('The connection was lost'))
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { ...store, db: store.db.withPlugin(plugin) }
}
