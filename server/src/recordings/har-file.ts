import { open } from 'node:fs/promises'
import type { EntryLocation, HarPage } from './network-log.ts'

/** Header of a HAR file. */
export interface HarHead {
  readonly version: string
  /** Such as `HeadlessChrome/156.0.8078.79`. */
  readonly browser: string
  readonly pages: readonly HarPage[]
  readonly comment: string | undefined
}

/** Generates a HAR 1.2 file from a file of entries, oldest first. Reads one entry at a time. */
export async function* generateHar(
  path: string,
  locations: readonly EntryLocation[],
  { version, browser, pages, comment }: HarHead,
): AsyncGenerator<Buffer> {
  await using file = await open(path)
  const [name = '', browserVersion = ''] = browser.split('/')
  const head = {
    version: '1.2',
    creator: { name: 'Bowline', version },
    browser: { name, version: browserVersion },
    pages,
    ...(comment === undefined ? {} : { comment }),
  }
  yield Buffer.from(`{"log":${JSON.stringify(head).slice(0, -1)},"entries":[\n`)
  const sorted = locations.toSorted((left, right) => left.startedAt.localeCompare(right.startedAt))
  for (const [index, { start, length }] of sorted.entries()) {
    const line = Buffer.alloc(length)
    await file.read(line, 0, length, start)
    if (index > 0) yield Buffer.from(',\n')
    yield line
  }
  yield Buffer.from('\n]}}\n')
}
