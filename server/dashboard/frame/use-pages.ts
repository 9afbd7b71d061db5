import { useEffect, useState } from 'preact/hooks'
import type { Api, ApiError } from '../api/api.ts'
import { useAction } from './use-action.ts'
import { useLoaded } from './use-loaded.ts'

/** A page of rows with the cursor of the next page. */
export interface PageOfRows<Row> {
  readonly rows: readonly Row[]
  /** `null` on the last page. */
  readonly cursor: string | null
}

/** The loaded part of a list. */
export interface Pages<Row> {
  /** Without duplicates, newest first. `undefined` until the first page is loaded. */
  readonly rows: readonly Row[] | undefined
  readonly apiError: ApiError | undefined
  readonly reload: () => void
  /** Loads the next page. `undefined` on the last page. */
  readonly more: (() => void) | undefined
  readonly isLoadingMore: boolean
}

const pollMs = 5000

interface KnownRows<Row> extends PageOfRows<Row> {
  /** The key that the rows were loaded for. */
  readonly key: string
}

/** Loads a list page by page and polls its first page. A new `key` starts over. */
export function usePages<Row extends { readonly id: string }>(
  key: string,
  read: (api: Api, cursor: string | undefined, signal?: AbortSignal) => Promise<PageOfRows<Row>>,
): Pages<Row> {
  const {
    value: newest,
    apiError,
    reload,
  } = useLoaded(key, async (api, signal) => read(api, undefined, signal), {
    pollMs,
  })
  const [known, setKnown] = useState<KnownRows<Row>>()
  useEffect(() => {
    if (newest === undefined) return
    setKnown((last) => ({ ...(last?.key === key ? withNewest(last, newest) : newest), key }))
  }, [key, newest])
  const next = useAction(async (api, cursor: string) => {
    const page = await read(api, cursor)
    // Meanwhile another list may be shown, or this one may have been reset.
    setKnown((last) =>
      last?.key === key && last.cursor === cursor ? { ...page, rows: [...last.rows, ...page.rows], key } : last,
    )
  })
  const shown = known?.key === key ? known : newest
  const cursor = shown?.cursor ?? null
  return {
    rows: shown?.rows,
    apiError,
    reload,
    more: cursor === null ? undefined : () => void next.run(cursor),
    isLoadingMore: next.isRunning,
  }
}

/** Merges the first page with the older rows that were loaded before. */
function withNewest<Row extends { readonly id: string }>(
  known: PageOfRows<Row>,
  newest: PageOfRows<Row>,
): PageOfRows<Row> {
  const last = newest.rows.at(-1)
  const at = known.rows.findIndex(({ id }) => id === last?.id)
  const older = known.rows.slice(at + 1)
  // Without a common row there may be a gap between the two, so the list is reset.
  if (at === -1 || older.length === 0 || newest.cursor === null) return newest
  return { rows: [...newest.rows, ...older], cursor: known.cursor }
}
