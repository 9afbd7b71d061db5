import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { identifyBlobs } from '../../src/blobs/blob-identity.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

test('a server waits for the marker that another one has created and not yet written', async () => {
  await using folder = await temporaryFolder()
  const marker = join(folder.path, '.bowline-id')
  await writeFile(marker, '')

  const identifying = identifyBlobs({ kind: 'folder', path: folder.path })
  await sleep(100)
  await writeFile(marker, 'written by the other\n')

  expect(await identifying).toBe('folder written by the other')
})

test('a marker that a crash left empty is written again', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, '.bowline-id'), '')

  const id = await identifyBlobs({ kind: 'folder', path: folder.path }, { emptyAfterMs: 50 })

  expect(id).toMatch(/^folder [0-9a-f-]{36}$/)
  expect(`folder ${(await readFile(join(folder.path, '.bowline-id'), 'utf8')).trim()}`).toBe(id)
})
