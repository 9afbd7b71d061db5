import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { UsageWatch } from '../../src/execution/usage-watch.ts'
import { Interpreter } from '../../src/execution/interpreter.ts'
import { interpreterCommand } from '../../src/execution/interpreter-command.ts'
import { startError, startInterpreter, type InterpreterDeps } from '../../src/execution/start-interpreter.ts'

const nodeProgram = fileURLToPath(new URL('../../src/execution/programs/node-program.ts', import.meta.url))
const options = {
  nodePath: process.execPath,
  nodeProgram,
  programFolders: ['/nonexistent'],
  cdpUrl: 'ws://127.0.0.1:9/',
  playwrightPath: undefined,
}

test('code is refused without bubblewrap, unless the server was started without isolation', async () => {
  const deps = { isolation: { jail: { missing: 'not installed' } }, allowsNoIsolation: false }

  const starting = startInterpreter('node', deps as unknown as InterpreterDeps, new AbortController().signal)

  await expect(starting).rejects.toMatchObject({
    code: 'EXECUTION_UNAVAILABLE',
    message: expect.stringContaining('not installed'),
  })
})

test('code is refused with a remedy if Node.js is in a folder that sessions may not read', () => {
  const output = "bwrap: Can't find source path /srv/private/node: Permission denied"

  expect(startError(output, undefined)).toMatchObject({
    code: 'EXECUTION_UNAVAILABLE',
    message: 'The users of sessions may not read /srv/private/node',
    hint: expect.stringContaining('/opt'),
  })
  expect(startError('bwrap: out of memory', undefined).code).toBe('EXECUTION_FAILED')
})

test.each([
  ['python', 'Python 3 is not installed on this server'],
  ['bash', 'bash is not installed on this server'],
] as const)('code of %s is refused if its program is missing', async (language, message) => {
  await expect(interpreterCommand(language, options)).rejects.toMatchObject({ code: 'EXECUTION_UNAVAILABLE', message })
})

test('Node.js code without playwright-core runs, and `page` names the package to install', async () => {
  using usage = new UsageWatch()
  const { file, args } = await interpreterCommand('node', options)
  const child = spawn(file, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'] })
  await once(child, 'spawn')
  await using interpreter = new Interpreter(child, 'node', usage)

  const sum = await interpreter.run('1 + 1', 10_000)
  const missing = await interpreter.run('await page.title()', 10_000)
  const assigned = await interpreter.run('page = { title: "own" }; page.title', 10_000)

  expect([sum.result, assigned.result]).toEqual(['2', 'own'])
  expect(missing.error).toContain(
    '`page` needs Playwright, which is not installed on this server: npm install playwright-core',
  )
})
