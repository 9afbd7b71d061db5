import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordLastBackup } from '../../src/backup/last-backup.ts'
import { parseConfig, type ServerOptions } from '../../src/config.ts'
import { checkSettings } from '../../src/cli/check-settings.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

async function check(what: string, options: ServerOptions) {
  return (await checkSettings(parseConfig(options))).find((finding) => finding.what === what)
}

test.each<[ServerOptions, string, string]>([
  [{}, 'good', '127.0.0.1'],
  [{ host: '0.0.0.0' }, 'poor', 'unencrypted'],
  [{ host: '0.0.0.0', tlsCert: 'a', tlsKey: 'b' }, 'good', 'certificate'],
  [{ publicUrl: 'https://b.example' }, 'poor', '--trusted-proxies'],
  [{ publicUrl: 'https://b.example', trustedProxies: ['loopback'] }, 'good', 'loopback'],
])('the doctor checks how clients reach a server with %j', async (options, state, text) => {
  expect(await check('address', options)).toMatchObject({ state, detail: expect.stringContaining(text) })
})

test('the doctor checks the profile key, and does not print it', async () => {
  await using folder = await temporaryFolder()
  const dataDir = folder.path
  const path = join(dataDir, 'profile-key')
  const key = 'ab'.repeat(32)
  const state = async (options: ServerOptions = {}) => {
    const finding = await check('profile key', { dataDir, ...options })
    expect(finding?.detail).not.toContain(key)
    return finding?.state
  }

  expect(await state()).toBe('good')
  await writeFile(path, `${key}\n`, { mode: 0o600 })
  expect(await state()).toBe('good')
  await chmod(path, 0o644)
  expect(await state()).toBe('poor')
  await writeFile(path, 'ab')
  expect(await state()).toBe('bad')
  expect(await state({ profileKey: key, previousProfileKeys: [key] })).toBe('good')
})

test('the doctor names the retention of the audit log', async () => {
  expect(await check('audit log', { auditDays: 30 })).toMatchObject({ detail: 'on; entries are kept for 30 days' })
})

test('the doctor warns if the last backup is more than a week old', async () => {
  await using folder = await temporaryFolder()
  const dataDir = folder.path
  const afterDays = async (days: number) => {
    const at = new Date(Date.now() - days * 86_400_000).toISOString()
    await recordLastBackup(dataDir, { at, location: '/backups/1' })
    return check('last backup', { dataDir })
  }

  expect(await check('last backup', { dataDir })).toBeUndefined()
  expect(await afterDays(6.9)).toMatchObject({ state: 'good', detail: expect.stringContaining('/backups/1') })
  expect(await afterDays(8.1)).toMatchObject({ state: 'poor', detail: expect.stringContaining('8 days ago') })
})
