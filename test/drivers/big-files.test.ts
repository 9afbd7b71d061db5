import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { downloadContent } from '../lab/pages/files.ts'
import { startServerProcess, type ServerProcess } from '../lab/server-process.ts'
import { sharedPostgres } from '../lab/shared-postgres.ts'
import { startSite, type Site } from '../lab/site.ts'

const bytes = 100_000_000
const program = fileURLToPath(new URL('big-files-program.ts', import.meta.url))

const fixture = new AsyncDisposableStack()
let server: ServerProcess
let site: Site
let folder: string

beforeAll(async () => {
  folder = fixture.use(await mkdtempDisposable(join(tmpdir(), 'big-files-'))).path
  const { url } = fixture.use(await (await sharedPostgres()).createDatabase())
  server = fixture.use(await startServerProcess({ dataDir: join(folder, 'server'), env: { DATABASE_URL: url } }))
  site = fixture.use(
    await startSite({
      '/sink': async ({ request, response }) => {
        const hash = createHash('sha256')
        await pipeline(request, hash)
        response.end(hash.digest('hex'))
      },
    }),
  )
})

afterAll(async () => {
  await fixture.disposeAsync()
})

// Less than the file.
const mostGrownMb = 92

/** Peak memory of the server process in MB. */
async function peakMb(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}

test.each(['playwright', 'puppeteer'])(
  '100 MB are downloaded and uploaded through %s with little memory on both sides',
  { timeout: 180_000 },
  async (name) => {
    const expected = createHash('sha256')
    for (const chunk of downloadContent(bytes)) expected.update(chunk)
    const sha256 = expected.digest('hex')
    // Reset the peak of the start.
    await writeFile(`/proc/${server.pid}/clear_refs`, '5')
    const serverBeforeMb = await peakMb()

    const { stdout } = await promisify(execFile)(
      process.execPath,
      // Otherwise garbage of the size of the file accumulates before it is collected.
      [
        '--max-semi-space-size=1',
        program,
        name,
        site.url(`/download?bytes=${bytes}&name=${name}.bin`),
        site.url('/upload'),
        folder,
      ],
      { env: { ...process.env, BOWLINE_BASE_URL: server.url, BOWLINE_API_KEY: server.apiKey } },
    )
    const outcome = JSON.parse(stdout) as { path: string; arrived: string; grownMb: number }
    const saved = createHash('sha256')
    await pipeline(createReadStream(outcome.path), saved)

    expect(saved.digest('hex')).toBe(sha256)
    expect(outcome.arrived).toBe(sha256)
    expect(outcome.grownMb).toBeLessThan(mostGrownMb)
    expect((await peakMb()) - serverBeforeMb).toBeLessThan(mostGrownMb)
  },
)
