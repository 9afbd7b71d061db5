import type { KyselyPlugin } from 'kysely'
import { storeUnavailable } from '../../src/store/unavailable.ts'

/**
 * Delays the result of the second claim of pages until `until` resolves. Calls `arrived` when the
 * result is there.
 */
export function holdSecondLook(until: Promise<void>, arrived: () => void): KyselyPlugin {
  const looks: object[] = []
  return {
    transformQuery: ({ node, queryId }) => {
      if (JSON.stringify(node).includes('"free"')) looks.push(queryId)
      return node
    },
    transformResult: async ({ result, queryId }) => {
      if (looks[1] === queryId) {
        arrived()
        await until
      }
      return result
    },
  }
}

/** Fails the first statement that releases pages. */
export function failFirstReturn(): KyselyPlugin {
  let hasFailed = false
  return {
    transformQuery: ({ node }) => {
      if (!hasFailed && node.kind === 'UpdateQueryNode' && !JSON.stringify(node).includes('"free"')) {
        hasFailed = true
        throw storeUnavailable(new Error('The connection was lost'))
      }
      return node
    },
    transformResult: async ({ result }) => result,
  }
}
