import { readFile, stat } from 'node:fs/promises'
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

async function run(...args: readonly string[]): Promise<string> {
  const env = { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }
  const { code, lines, errors } = await runCommand(['profiles', ...args], { env })
  if (code !== 0) throw new Error(errors)
  return `${lines.join('\n')}\n`
}

test('list shows name, version, sizes and times', async () => {
  const [, row = ''] = (await run('list')).split('\n')

  expect(row).toMatch(/^acme +2 of 2 +[\d.]+ (B|kB|MB) +[\d.]+ (B|kB|MB) +\d{4}-\d\d-\d\dT/)
})

test('versions, rollback and show report the same version', async () => {
  expect(await run('versions', 'acme')).toMatch(/^2 \(current\) .*imported\n1 .*imported\n$/m)

  const back = JSON.parse(await run('rollback', 'acme', '1', '--json')) as { version: number }

  expect(back.version).toBe(1)
  expect(await run('show', 'acme')).toMatch(/^version +1$/m)
})

test('export writes a file that only its owner can read, and import accepts it', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'state.json')
  await run('rollback', 'acme', '1')

  await run('export', 'acme', file)
  const copy = JSON.parse(await run('import', 'copy', file, '--json')) as { name: string; version: number }

  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ cookies: [cookie], origins: [] })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(copy).toMatchObject({ name: 'copy', version: 1 })
  expect(JSON.parse(await run('export', 'copy'))).toEqual({ cookies: [cookie], origins: [] })
})

test('delete removes a profile, and an unknown one fails with its error code', async () => {
  await lab.api('PUT', '/v2/browser/profiles/gone/storage-state', {})

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
