import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../src/kit/make-folder.ts'
import { temporaryFolder } from '../lab/stores.ts'

test('a folder can be created while another call creates its parent', async () => {
  await using folder = await temporaryFolder()
  const parents = Array.from({ length: 100 }, (_, index) => join(folder.path, String(index)))

  await Promise.all(parents.flatMap((parent) => [makeFolder(join(parent, 'child')), makeFolder(parent)]))

  for (const parent of parents) expect((await stat(join(parent, 'child'))).isDirectory()).toBe(true)
})

test('a folder that cannot be created rejects with the reason', async () => {
  await expect(makeFolder('/proc/bowline/data')).rejects.toThrow(
    "ENOENT: no such file or directory, mkdir '/proc/bowline'",
  )
})
