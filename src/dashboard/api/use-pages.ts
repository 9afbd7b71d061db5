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

/** Reads a list page by page, its first one again and again. A new `key` starts afresh. */
export const usePages = <Row extends { readonly id: string }>(
  key: string,
  read: (api: Api, cursor: string | undefined, signal?: AbortSignal) => Promise<PageOfRows<Row>>,
): Pages<Row> => {
  const first = useLoaded(key, async (api, signal) => read(api, undefined, signal), { everyMs })
  const [further, setFurther] = useState<readonly PageOfRows<Row>[]>([])
  useEffect(() => setFurther([]), [key])
  const next = useAction(async (api, cursor: string) => {
    const page = await read(api, cursor)
    setFurther((pages) => [...pages, page])
  })
  const cursor = (further.at(-1) ?? first.value)?.cursor ?? null
  const rows = new Map<string, Row>()
  for (const row of [first.value, ...further].flatMap((page) => page?.rows ?? [])) {
    // The first page is asked for again and again, and by then overlaps with the others, which are older.
    if (!rows.has(row.id)) rows.set(row.id, row)
  }
  return {
    rows: first.value === undefined ? undefined : [...rows.values()],
    fault: first.fault,
    reload: first.reload,
    more: cursor === null ? undefined : () => void next.run(cursor),
    isLoadingMore: next.isRunning,
  }
}
