import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startServerProcess } from '../../../test/lab/server-process.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite } from '../../../test/lab/site.ts'

const line = '"jobs":1,"msg":"batches and crawls are running"'

test('a server that starts logs how many batches and crawls it continues', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-jobs-'))
  await using database = await (await sharedPostgres()).createDatabase()
  await using site = await startSite({ '/held': () => undefined })
  const options = { dataDir: folder.path, env: { DATABASE_URL: database.url } }
  await using first = await startServerProcess(options)
  const { status } = await first.api('POST', '/v2/batch/scrape', { urls: [site.url('/held')] })
  first.kill('SIGKILL')
  await first.exited

  await using second = await startServerProcess(options)

  expect(status).toBe(200)
  expect(first.log()).not.toContain(line)
  expect(second.log()).toContain(line)
})
