import { spawnSync } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assertLoadsExtensions, unpackExtensions } from '../../src/browsers/browser-extensions.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

const isRoot = process.getuid?.() === 0
const browserUid = 1_900_000_001

// Without root, the browser runs as the user of the server, and bubblewrap protects the files.
test.runIf(isRoot).each([
  ['cannot change its folder', false, ['read']],
  ['can only add files, if Chromium stores rules there', true, ['read', 'add']],
])('the user of a browser reads an extension and %s (skipped without root)', async (_name, needsWrite, possible) => {
  await using folder = await temporaryFolder()
  await chmod(folder.path, 0o711)
  const unpack = async (path: string): Promise<void> => writeFile(join(path, 'manifest.json'), '{}', { mode: 0o644 })
  const extensionsDir = join(folder.path, 'extensions')

  await unpackExtensions({ extensionsDir }, [{ runtimeId: 'own', needsWrite, unpack }], browserUid)

  const commands = {
    read: 'cat manifest.json',
    add: 'mkdir rules',
    write: 'echo 1 > manifest.json',
    move: 'mv manifest.json other.json',
    remove: 'rm -f manifest.json',
    replace: 'cd .. && mv own other',
  }
  const as = { cwd: join(extensionsDir, 'own'), uid: browserUid, gid: browserUid }
  const script = Object.entries(commands).map(([name, command]) => `(${command}) >/dev/null 2>&1 && echo ${name}`)
  const { stdout } = spawnSync('/bin/sh', ['-c', script.join('; ')], as)
  expect(stdout.toString().trim().split('\n')).toEqual(possible)
})

test('extensions need full Chromium without access to the network of the server', () => {
  expect(() => assertLoadsExtensions('chromium', true)).not.toThrow()
  expect(() => assertLoadsExtensions('shell', true)).toThrow('require full Chromium, not the headless shell')
  expect(() => assertLoadsExtensions('chromium', false)).toThrow('can send UDP around the egress proxy')
})
