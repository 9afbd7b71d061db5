import { expect, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { lockFolder } from '../../src/store/lock.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { startProgram } from './program.ts'

test('a data directory can be locked once per process until it is released', async () => {
  await using folder = await temporaryFolder()
  const first = await lockFolder(folder.path)

  await expect(lockFolder(folder.path)).rejects.toMatchObject({ code: 'DATA_DIR_IN_USE' })

  first[Symbol.dispose]()
  first[Symbol.dispose]()
  using second = await lockFolder(folder.path)
  expect(second).toBeDefined()
})

test('a second process is refused with the name of the directory until the first is killed', async () => {
  await using folder = await temporaryFolder()
  await using holder = startProgram('hold-store', [folder.path])
  expect(await holder.lines.next()).toMatchObject({ value: 'open' })

  const refused = openStore({ dataDir: folder.path })

  await expect(refused).rejects.toMatchObject({
    code: 'DATA_DIR_IN_USE',
    message: expect.stringContaining(folder.path),
    hint: expect.stringContaining('--data-dir'),
  })
  await holder.kill()
  await using store = await openStore({ dataDir: folder.path })
  await store.ping()
})
