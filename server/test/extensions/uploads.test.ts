import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline } from '../../../src/index.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { runCommand } from '../../../test/lab/run-command.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { postExtension, uploadExtension } from '../../../test/lab/upload-extension.ts'
import { createZip, zipExtension } from '../../../test/lab/zip.ts'

let lab: Lab
let bowline: Bowline
beforeAll(async () => {
  lab = await startLab({ maxExtensions: 2 })
  bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey })
})
afterAll(async () => lab[Symbol.asyncDispose]())

async function run(...args: readonly string[]): Promise<string> {
  const env = { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }
  const { code, out, errors } = await runCommand(['extensions', ...args], { env })
  if (code !== 0) throw new Error(errors)
  return out
}

async function blobs(): Promise<readonly string[]> {
  return readdir(join(lab.dataDir, 'blobs', 'extensions'))
}

test('the command line uploads, lists, shows and deletes extensions', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'extension.zip')
  await writeFile(path, zipExtension({ name: 'Ads', version: '1.2.3' }, { 'a.js': 'x'.repeat(5000) }))

  const id = await run('upload', path)

  expect(await run('list')).toMatch(new RegExp(`^${id} +Ads +1.2.3 .* 20`, 'm'))
  expect(JSON.parse(await run('show', id, '--json'))).toMatchObject({
    id,
    name: 'Ads',
    version: '1.2.3',
    runtimeId: expect.stringMatching(/^[a-p]{32}$/),
  })
  expect(await blobs()).toEqual([id])
  expect(await run('delete', id)).toBe(`extension ${id}: deleted`)
  expect(await run('list')).not.toContain(id)
  expect(await blobs()).toEqual([])
  await expect(run('delete', id)).rejects.toThrow('EXTENSION_NOT_FOUND')
})

test('the client uploads a Blob or a stream, also of a zip with a folder and a translated name', async () => {
  const zip = createZip([
    { path: '__MACOSX/._folder', contents: '' },
    {
      path: 'folder/manifest.json',
      contents: JSON.stringify({ manifest_version: 3, name: '__MSG_appName__', version: '1', default_locale: 'en' }),
    },
    { path: 'folder/_locales/en/messages.json', contents: '{ "appname": { "message": "A\\nname" } }' },
    { path: 'folder/_metadata/verified_contents.json', contents: '[]' },
  ])
  const uploaded = [
    await bowline.extensions.upload(new Blob([new Uint8Array(zip)])),
    await bowline.extensions.upload(new Blob([new Uint8Array(zip)]).stream()),
  ]

  expect(uploaded.map(({ name, size }) => [name, size])).toEqual([1, 2].map(() => ['A name', zip.length]))
  expect(await bowline.extensions.list()).toEqual(uploaded.toReversed())
  await expect(bowline.extensions.upload(new Blob([new Uint8Array(zip)]))).rejects.toMatchObject({
    code: 'EXTENSION_QUOTA_EXCEEDED',
    message: expect.stringContaining('A team can have at most 2 extensions'),
  })
  for (const { id } of uploaded) await bowline.extensions.delete(id)
})

test.each([
  [
    'without a manifest',
    createZip([{ path: 'a.js', contents: '' }]),
    400,
    'The zip has no manifest.json in its top folder',
  ],
  [
    'with a refused permission',
    zipExtension({ permissions: ['proxy'] }),
    400,
    'it replaces the egress proxy; use `proxy`',
  ],
  ['of more than 20 MB', Buffer.alloc(20_000_001), 413, 'The zip has more than 20 MB'],
])('an upload %s is refused and leaves nothing behind', async (_name, zip, status, error) => {
  const answer = await postExtension(lab, zip)

  expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(error), hint: expect.any(String) } })
  expect(await bowline.extensions.list()).toEqual([])
  expect(await blobs()).toEqual([])
})

test('a session in the headless shell refuses extensions, names the browser that has them, and is not listed', async () => {
  const { id } = await uploadExtension(lab, zipExtension({}))

  const { status, body } = await lab.api('POST', '/v2/browser', { extensions: [id] })

  expect({ status, ...body }).toMatchObject({
    status: 400,
    code: 'BAD_REQUEST',
    error: '`extensions` require full Chromium, not the headless shell',
    hint: 'Start the server with `--browser chromium --isolation strict`.',
  })
  expect((await lab.api('GET', '/v2/browser')).body['sessions']).toEqual([])
  await bowline.extensions.delete(id)
})

test.each([
  [['0198c0de-0000-7000-8000-000000000000'], /`extensions\[0\]`: the team has no extension 0198c0de/],
  [['unknown'], /extensions.*0.*UUID/i],
  [[1, 2, 3, 4, 5, 6].map((digit) => `0198c0de-0000-7000-8000-00000000000${digit}`), /at most 5 items/],
  [[1, 1].map((digit) => `0198c0de-0000-7000-8000-00000000000${digit}`), /cannot contain an extension twice/],
])('a session with the extensions %j is refused', async (extensions, error) => {
  const { status, body } = await lab.api('POST', '/v2/browser', { extensions })

  expect([status, body['error']]).toEqual([400, expect.stringMatching(error)])
})
