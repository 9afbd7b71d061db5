import { execFile } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { wasmCompilerFlags } from '../../src/cli/limit-wasm-compiler.ts'
import { openStore } from '../../src/store/open.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { programPath, startProgram } from './program.ts'

const execute = promisify(execFile)

const kills = 8

/** Limits the number of kills on a busy machine, where each start takes seconds. */
const limitMs = 10_000

test('no acknowledged row is lost when the process is killed repeatedly', async ({ annotate }) => {
  await using folder = await temporaryFolder()
  const acknowledged: string[] = []
  const startedAt = Date.now()
  let killed = 0

  while (killed < kills && Date.now() - startedAt < limitMs) {
    await using writer = startProgram('write-rows', [folder.path, `run${killed}`, '100000'])
    let rowsLeft = 1 + Math.floor(Math.random() * 80)
    for await (const key of writer.lines) {
      acknowledged.push(key)
      rowsLeft -= 1
      if (rowsLeft === 0) await writer.kill()
    }
    killed += 1
  }

  await using store = await openStore({ dataDir: folder.path })
  await annotate(`${killed} kills, ${acknowledged.length} acknowledged rows`)
  const rows = await store.db.selectFrom('setting').select('key').execute()
  const found = new Set(rows.map(({ key }) => key))
  expect(acknowledged.filter((key) => !found.has(key))).toEqual([])
  expect(acknowledged.length).toBeGreaterThanOrEqual(killed)
})

const hasStrace = await access('/usr/bin/strace').then(
  () => true,
  () => false,
)

// Checks the system calls, as data survives a killed process but not a power failure without fsync.
test.skipIf(!hasStrace)('every commit reaches the disk before it is acknowledged', async () => {
  await using folder = await temporaryFolder()
  await (await openStore({ dataDir: folder.path }))[Symbol.asyncDispose]()
  const countSyncs = async (rows: number): Promise<number> => {
    const log = join(folder.path, `strace-${rows}`)
    const program = [...wasmCompilerFlags, programPath('write-rows'), folder.path, `syncs${rows}`, String(rows)]
    const tracer = ['-f', '-e', 'trace=fsync,fdatasync', '-o', log]
    await execute('strace', [...tracer, process.execPath, ...program])
    return (await readFile(log, 'utf8')).split(/fsync\(|fdatasync\(/).length - 1
  }

  const [without, withTen] = [await countSyncs(0), await countSyncs(10)]

  expect(withTen - without).toBeGreaterThanOrEqual(10)
})
