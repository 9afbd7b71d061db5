import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { wasmCompilerFlags } from '../../server/src/cli/limit-wasm-compiler.ts'
import type { Holdings } from './churn-program.ts'

const program = fileURLToPath(new URL('churn-program.ts', import.meta.url))

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

test('eight more sessions do not leak file descriptors, handles or memory', { timeout: 300_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...wasmCompilerFlags,
    '--expose-gc',
    program,
    '10',
    '18',
  ])
  const [before, after] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Holdings)

  expect(after).toMatchObject({ sessions: 18, browsers: 1, folders: 1 })
  // A leak of one per session would be fifteen. The number of keep-alive connections varies by a
  // few.
  expect(Math.abs(after!.fileDescriptors - before!.fileDescriptors), stdout).toBeLessThanOrEqual(5)
  expect(Math.abs(sum(after!.handles) - sum(before!.handles)), stdout).toBeLessThanOrEqual(5)
  // 100 kB per session: eight times the growth measured over a hundred sessions.
  expect(after!.heapMegabytes - before!.heapMegabytes, stdout).toBeLessThan(0.8)
})
