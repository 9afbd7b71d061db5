import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline } from '../../../src/index.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let folder: { readonly path: string }
beforeAll(async () => {
  folder = fixture.use(await temporaryFolder())
  site = fixture.use(await startSite())
  lab = await startLab({ dataDir: folder.path })
})
afterAll(async () => {
  await lab[Symbol.asyncDispose]()
  await fixture.disposeAsync()
})

function clientOf({ server }: Lab): Bowline {
  return new Bowline({ baseUrl: server.url, apiKey: server.apiKey, reaper: false })
}

test('kept files are readable after the session ends and after a restart, by their team only', async () => {
  await using bowline = clientOf(lab)
  const session = await bowline.sessions.create({ keepFiles: true })
  await session.files.upload(new Blob(['was sent']), { name: 'sent.txt' })
  {
    await using cdp = await connectCdp(session.cdpUrl)
    const page = await cdp.attachToPage()
    await cdp
      .call('Page.navigate', { url: site.url('/download?bytes=70000&name=got.bin') }, page)
      .catch(() => undefined)
    await expect.poll(async () => (await session.files.list())[1]?.complete).toBe(true)
  }
  const before = await session.files.list()
  await session.end()

  expect(await session.files.list()).toEqual(before)
  const foreign = (await lab.api('POST', '/v2/team/keys', { team: 'others' })).body['key']
  const answer = await lab.api('GET', `/v2/browser/${session.id}/files`, undefined, {
    authorization: `Bearer ${foreign}`,
  })
  expect(answer.status).toBe(404)
  await lab[Symbol.asyncDispose]()
  lab = await startLab({ dataDir: folder.path })

  await using later = clientOf(lab)
  const files = await later.sessions.files(session.id)
  expect(await files.list()).toEqual(before)
  expect(await new Response(await files.read('sent.txt')).text()).toBe('was sent')
  expect(await new Response(await files.read(before[1]?.guid ?? '')).bytes()).toHaveLength(70_000)
  await files.delete('got.bin')
  expect((await files.list()).map(({ name }) => name)).toEqual(['sent.txt'])
  await expect(files.read('got.bin')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
  await expect(files.upload(new Blob(['x']))).rejects.toMatchObject({ code: 'SESSION_ENDED' })
})

test('a file or recording that cannot be stored does not affect the others', async () => {
  await using bowline = clientOf(lab)
  const session = await bowline.sessions.create({ keepFiles: true, record: { har: true, console: true } })
  for (const name of ['gone.txt', 'kept.txt']) await session.files.upload(new Blob([name]), { name })
  const paths = await readdir(folder.path, { recursive: true })
  const gone = paths.filter((path) => /\/(gone\.txt|recording\/console)$/.test(path))
  expect(gone).toHaveLength(2)
  for (const path of gone) await rm(join(folder.path, path))

  await session.end()

  expect((await session.files.list()).map(({ name }) => name)).toEqual(['kept.txt'])
  expect((await session.recordings.list()).map(({ name }) => name)).toEqual(['har.json', 'player.html'])
})

test('a session without `keepFiles` keeps no files', async () => {
  await using bowline = clientOf(lab)
  const session = await bowline.sessions.create()
  await session.files.upload(new Blob(['x']), { name: 'x' })

  await session.end()

  await expect(session.files.list()).rejects.toMatchObject({ code: 'SESSION_ENDED' })
})
