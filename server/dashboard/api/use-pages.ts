import { useEffect, useState } from 'preact/hooks'
import type { Api, Fault } from './call.ts'
import { useAction } from './use-action.ts'
import { useLoaded } from './use-loaded.ts'

/** Some rows of a list, and where the next ones begin. */
export interface PageOfRows<Row> {
  readonly rows: readonly Row[]
  /** Null: there are no more. */
  readonly cursor: string | null
}

/** A list as far as it was read. */
export interface Pages<Row> {
  /** Each once, newest first. Undefined until the first are there. */
  readonly rows: readonly Row[] | undefined
  readonly fault: Fault | undefined
  readonly reload: () => void
  /** Reads the next rows. Undefined when there are no more. */
  readonly more: (() => void) | undefined
  readonly isLoadingMore: boolean
}

const everyMs = 5000

interface Known<Row> extends PageOfRows<Row> {
  /** What the rows belong to. */
  readonly key: string
}

/** Reads a list page by page, its first one again and again. A new `key` starts afresh. */
export function usePages<Row extends { readonly id: string }>(
  key: string,
  read: (api: Api, cursor: string | undefined, signal?: AbortSignal) => Promise<PageOfRows<Row>>,
): Pages<Row> {
  const {
    value: newest,
    fault,
    reload,
  } = useLoaded(key, async (api, signal) => read(api, undefined, signal), {
    everyMs,
  })
  const [known, setKnown] = useState<Known<Row>>()
  useEffect(() => {
    if (newest === undefined) return
    setKnown((last) => ({ ...(last?.key === key ? withNewest(last, newest) : newest), key }))
  }, [key, newest])
  const next = useAction(async (api, cursor: string) => {
    const page = await read(api, cursor)
    // By now another list may be shown, or this one from its beginning.
    setKnown((last) =>
      last?.key === key && last.cursor === cursor ? { ...page, rows: [...last.rows, ...page.rows], key } : last,
    )
  })
  const shown = known?.key === key ? known : newest
  const cursor = shown?.cursor ?? null
  return {
    rows: shown?.rows,
    fault,
    reload,
    more: cursor === null ? undefined : () => void next.run(cursor),
    isLoadingMore: next.isRunning,
  }
}

/** The newest rows, and below them what is known of older ones: what is newer pushes rows from the first page to the others. */
function withNewest<Row extends { readonly id: string }>(
  known: PageOfRows<Row>,
  newest: PageOfRows<Row>,
): PageOfRows<Row> {
  const last = newest.rows.at(-1)
  const at = known.rows.findIndex(({ id }) => id === last?.id)
  const older = known.rows.slice(at + 1)
  // Without a row in common there may be others between the two, so the list begins anew.
  if (at === -1 || older.length === 0 || newest.cursor === null) return newest
  return { rows: [...newest.rows, ...older], cursor: known.cursor }
}
