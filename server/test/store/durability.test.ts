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

test('no acknowledged row is lost when the process is killed repeatedly', async () => {
  await using folder = await temporaryFolder()
  const acknowledged: string[] = []

  // After these rows the writer commits, vacuums and writes a checkpoint.
  for (const rowsToKill of [7, 20, 30]) {
    await using writer = startProgram('write-rows', [folder.path, `run${rowsToKill}`, '100000'])
    let rowsLeft = rowsToKill
    for await (const key of writer.lines) {
      acknowledged.push(key)
      rowsLeft -= 1
      if (rowsLeft === 0) await writer.kill()
    }
  }

  await using store = await openStore({ dataDir: folder.path })
  const rows = await store.db.selectFrom('setting').select('key').execute()
  const found = new Set(rows.map(({ key }) => key))
  expect(acknowledged.filter((key) => !found.has(key))).toEqual([])
  expect(acknowledged.length).toBeGreaterThanOrEqual(57)
})

const hasStrace = await access('/usr/bin/strace').then(
  () => true,
  () => false,
)

// Checks the system calls, as data survives a killed process but not a power failure without fsync.
test.skipIf(!hasStrace)('every commit reaches the disk before it is acknowledged', async () => {
  await using folder = await temporaryFolder()
  const log = join(folder.path, 'strace')
  const tracer = ['-f', '--seccomp-bpf', '-e', 'trace=fsync,fdatasync,write', '-e', 'signal=none', '-o', log]
  const writer = [...wasmCompilerFlags, programPath('write-rows'), folder.path, 'synced', '11']

  await execute('strace', [...tracer, process.execPath, ...writer])

  const calls = (await readFile(log, 'utf8')).split('\n')
  const acknowledged = calls.flatMap((call, index) => (/ write\(1, "synced-\d+\\n"/.test(call) ? [index] : []))
  const synced = acknowledged.filter((end, index) =>
    calls.slice(acknowledged[index - 1] ?? 0, end).some((call) => /(fsync|fdatasync)\(/.test(call)),
  )
  expect([acknowledged.length, synced.length]).toEqual([11, 11])
})
