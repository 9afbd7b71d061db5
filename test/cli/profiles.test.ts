import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toSize } from '../../src/cli/size.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { runCommand } from '../lab/run-command.ts'
import { temporaryFolder } from '../lab/stores.ts'

const cookie = {
  name: 'login',
  value: 'kept',
  domain: 'shop.example',
  path: '/',
  expires: -1,
  httpOnly: true,
  secure: true,
  sameSite: 'Lax',
} as const

let lab: Lab
beforeAll(async () => {
  lab = await startLab()
  await lab.api('PUT', '/v2/browser/profiles/acme/storage-state', { cookies: [cookie] })
  await lab.api('PUT', '/v2/browser/profiles/acme/storage-state', { cookies: [] })
})
afterAll(async () => lab[Symbol.asyncDispose]())

function environment() {
  return { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }
}

async function run(...args: readonly string[]): Promise<string> {
  const { code, lines, errors } = await runCommand(['profiles', ...args], { env: environment() })
  if (code !== 0) throw new Error(errors)
  return `${lines.join('\n')}\n`
}

test('list shows name, version, sizes and times', async () => {
  const [, row = ''] = (await run('list')).split('\n')

  expect(row).toMatch(/^acme +2 +2 +[\d.]+ (B|kB|MB) +[\d.]+ (B|kB|MB) +\d{4}-\d\d-\d\dT/)
})

test('versions, rollback and show report the same version', async () => {
  expect(await run('versions', 'acme')).toMatch(/^2 \(current\) .*imported\n1 .*imported\n$/m)

  const back = JSON.parse(await run('rollback', 'acme', '1', '--json')) as { version: number }

  expect(back.version).toBe(1)
  expect(await run('show', 'acme')).toMatch(/^version +1\nversions kept +2$/m)
})

test('export writes a file that only its owner can read, and import accepts it', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'state.json')
  await run('rollback', 'acme', '1')

  expect(await run('export', 'acme', file)).toBe(`profile "acme": 1 cookie, 0 origins written to ${file}\n`)
  const copy = JSON.parse(await run('import', 'copy', file, '--json')) as { name: string; version: number }

  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ cookies: [cookie], origins: [] })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(copy).toMatchObject({ name: 'copy', version: 1 })
  expect(JSON.parse(await run('export', 'copy'))).toEqual({ cookies: [cookie], origins: [] })
  expect(await run('import', 'copy', file)).toBe('profile "copy": 1 cookie, 0 origins imported: version 2\n')
})

test.each([
  ['{}', '`cookies` or `origins` is missing'],
  ['[]', 'expected object, received array'],
  ['{"foo":1}', '`foo` is unknown'],
  ['{"cookie":[]}', '`cookie` is unknown: did you mean `cookies`?'],
  ['{"name":"acme","version":2,"cookies":[]}', '`name` is unknown'],
  ['{"cookies":[{"name":"a"}]}', 'cookies.0.value: '],
  ['{', 'JSON'],
])('import refuses %s and leaves the profile as it is', async (content, reason) => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'state.json')
  await writeFile(file, content)
  const before = await run('versions', 'acme', '--json')

  const { code, errors } = await runCommand(['profiles', 'import', 'acme', file], { env: environment() })

  expect(code).toBe(2)
  expect(errors).toContain(`BAD_REQUEST: No valid storageState in ${file}: `)
  expect(errors).toContain(reason)
  expect(errors).toContain('context.storageState')
  expect(await run('versions', 'acme', '--json')).toBe(before)
})

test('import refuses the output of show', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'profile.json')
  await writeFile(file, await run('show', 'acme', '--json'))

  await expect(run('import', 'acme', file)).rejects.toThrow('`name` is unknown')
})

test('show prints its facts as list does, and rollback to an unknown version names the command that lists them', async () => {
  expect(await run('show', 'acme')).toMatch(/^version +1\nversions kept +2$/m)
  expect(await run('show', 'acme')).not.toMatch(/createdAt|isLocked/)

  const { code, errors } = await runCommand(['profiles', 'rollback', 'acme', '99'], { env: environment() })

  expect(code).toBe(5)
  expect(errors).toContain('`bowline profiles versions acme`')
})

test('delete removes a profile, and an unknown one fails with its error code', async () => {
  await lab.api('PUT', '/v2/browser/profiles/gone/storage-state', { cookies: [] })

  expect(await run('delete', 'gone')).toBe('profile "gone": deleted\n')

  await expect(run('delete', 'gone')).rejects.toThrow('PROFILE_NOT_FOUND')
})

test.each([
  [999, '999 B'],
  [12_345, '12.3 kB'],
  [999_900, '1.00 MB'],
  [1_500_000_000_000, '1.50 TB'],
])('%i bytes are formatted as %s', (bytes, text) => {
  expect(toSize(bytes)).toBe(text)
})
