import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { chmod, mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openBootFolder } from '../../src/browsers/folders.ts'
import { openDataDir } from './browser-fixture.ts'

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

function outsideOf(dataDir: string): string {
  return `/var/tmp/bowline-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
}

test('folders are in the data directory, which other users can traverse but not list', async () => {
  await using dataDir = await openDataDir()

  await using boot = await openBootFolder({ dataDir: dataDir.path, isForOtherUids: true })

  expect(boot.runtimeDir).toBe(join(dataDir.path, 'run'))
  expect([modeOf(dataDir.path), modeOf(boot.runtimeDir), modeOf(boot.path)]).toEqual(['711', '711', '711'])
})

test('other users cannot access folders if browsers run as the same user', async () => {
  await using dataDir = await openDataDir()

  await using boot = await openBootFolder({ dataDir: dataDir.path, isForOtherUids: false })

  expect(modeOf(boot.path)).toBe('700')
})

test('a browser owns its profile but not the parent folder', async () => {
  await using dataDir = await openDataDir()
  await using boot = await openBootFolder({ dataDir: dataDir.path, isForOtherUids: true })
  const uid = process.getuid?.() ?? 0

  const folder = await boot.addBrowser('b', uid)

  expect(modeOf(folder.root)).toBe('710')
  expect([modeOf(folder.userDataDir), modeOf(folder.tmpDir), modeOf(folder.downloadsDir)]).toEqual([
    '700',
    '700',
    '700',
  ])
  expect(modeOf(folder.uploadsDir)).toBe('750')
})

test('folders are in /var/tmp if other users cannot access the data directory', async () => {
  await using outer = await openDataDir()
  const dataDir = join(outer.path, 'closed', 'data')
  await mkdir(dataDir, { recursive: true })
  await chmod(join(outer.path, 'closed'), 0o700)

  await using boot = await openBootFolder({ dataDir, isForOtherUids: true })

  expect(boot.runtimeDir).toBe(outsideOf(dataDir))
})

test('folders are in /var/tmp if the path is too long for the socket of Chromium', async () => {
  await using outer = await openDataDir()
  const dataDir = join(outer.path, 'long'.repeat(20))

  await using boot = await openBootFolder({ dataDir, isForOtherUids: false })

  expect(boot.runtimeDir).toBe(outsideOf(dataDir))
})

test('a symbolic link instead of the folder in /var/tmp is rejected', async () => {
  await using outer = await openDataDir()
  const dataDir = join(outer.path, 'long'.repeat(20))
  await symlink(outer.path, outsideOf(dataDir))

  await expect(openBootFolder({ dataDir, isForOtherUids: false })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })

  await rm(outsideOf(dataDir))
})

test('a folder that other users can write to is rejected', async () => {
  await using outer = await openDataDir()
  await mkdir(join(outer.path, 'run'))
  await chmod(join(outer.path, 'run'), 0o777)

  await expect(openBootFolder({ dataDir: outer.path, isForOtherUids: false })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  })
})

test('closing removes the folders', async () => {
  await using dataDir = await openDataDir()
  const boot = await openBootFolder({ dataDir: dataDir.path, isForOtherUids: false })
  await boot.addBrowser('b', undefined)

  await boot[Symbol.asyncDispose]()

  expect(existsSync(boot.runtimeDir)).toBe(false)
})
