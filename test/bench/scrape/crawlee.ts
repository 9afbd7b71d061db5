import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Crawlee in a separate process. */
export interface Crawlee extends AsyncDisposable {
  readonly pid: number
  /** Crawls pages and returns the time in milliseconds. Throws an Error if a page fails. */
  readonly crawl: (urls: readonly string[]) => Promise<number>
}

/** Starts Crawlee with this concurrency. Disposing kills it and removes its storage. */
export async function startCrawlee(
  kind: 'cheerio' | 'playwright',
  concurrency: number,
  browser = '',
): Promise<Crawlee> {
  const folder = await mkdtemp(join(tmpdir(), 'bowline-crawlee-'))
  const program = join(import.meta.dirname, 'crawlee-program.ts')
  const child = spawn(process.execPath, [program, kind, String(concurrency), browser], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, CRAWLEE_STORAGE_DIR: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  if (child.pid === undefined) throw new Error('Crawlee did not start')
  return {
    pid: child.pid,
    crawl: async (urls) => {
      child.stdin.write(`${JSON.stringify(urls)}\n`)
      const { value } = await lines.next()
      const { ms, characters } = JSON.parse(String(value)) as { readonly ms: number; readonly characters: number }
      if (characters < 1000 * urls.length) throw new Error(`${characters} characters of ${urls.length} pages`)
      return ms
    },
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
