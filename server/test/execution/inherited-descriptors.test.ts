import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Interpreter } from '../../src/execution/interpreter.ts'
import { interpreterCommand } from '../../src/execution/interpreter-command.ts'
import { UsageWatch } from '../../src/execution/usage-watch.ts'

const nodeProgram = fileURLToPath(new URL('../../src/execution/programs/node-program.ts', import.meta.url))

test.each([
  ['node', `require('node:child_process').execSync('readlink /proc/self/fd/*; true').toString()`],
  [
    'python',
    `import subprocess; subprocess.run('readlink /proc/self/fd/*', shell=True, close_fds=False, capture_output=True).stdout.decode()`,
  ],
  ['bash', 'readlink /proc/self/fd/* /proc/$$/fd/*; true'],
] as const)('code of %s gets no descriptors that the server has inherited', async (language, code) => {
  using usage = new UsageWatch()
  const { file, args } = await interpreterCommand(language, {
    nodePath: process.execPath,
    nodeProgram,
    programFolders: ['/usr/bin', '/bin'],
    cdpUrl: 'ws://127.0.0.1:9/',
    playwrightPath: undefined,
  })
  // Node.js itself closes those that follow standard error without a gap.
  const inherited = [...Array<'ignore'>(30).fill('ignore'), openSync('/etc/hostname', 'r')]
  const child = spawn(file, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', ...inherited],
  })
  await once(child, 'spawn')
  await using interpreter = new Interpreter(child, language, usage)

  const { result, exitCode } = await interpreter.run(code, 10_000)

  expect(exitCode).toBe(0)
  expect(result).toMatch(/socket:|pipe:/)
  expect(result).not.toContain('/etc/hostname')
})
