import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline, type Session } from '../../src/index.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { runCommand } from '../lab/run-command.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let session: Session
beforeAll(async () => {
  lab = fixture.use(await startLab())
  const bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey })
  session = fixture.use(await bowline.sessions.create())
})
afterAll(async () => fixture.disposeAsync())

test('session.execute() resolves to the outcome of code that succeeds, fails or runs too long', async () => {
  const python = await session.execute('print(1)\n{"a": 2}', { language: 'python' })
  const failed = await session.execute('echo no >&2; exit 3', { language: 'bash' })
  const killed = await session.execute('for (;;) {}', { timeout: 1 })

  expect(python).toEqual({ stdout: '1\n', stderr: '', result: '{"a": 2}', exitCode: 0, killed: false })
  expect(failed).toMatchObject({ exitCode: 3, stderr: 'no\n', error: expect.stringMatching(/^no\n/) })
  expect(killed).toMatchObject({ killed: true, error: expect.stringContaining('longer than 1 s') })
})

test('bowline sessions execute runs code of its argument or standard input, and exits with its exit code', async () => {
  const env = { BOWLINE_DATA_DIR: lab.dataDir }
  const command = ['sessions', 'execute', session.id]

  const value = await runCommand([...command, '1 + 1'], { env })
  const piped = await runCommand([...command, '--language', 'bash', '--json'], { env, input: 'echo out; exit 4' })

  expect(value).toMatchObject({ code: 0, out: '2' })
  expect(piped.code).toBe(4)
  expect(JSON.parse(piped.out)).toMatchObject({ stdout: 'out\n', exitCode: 4 })
})
