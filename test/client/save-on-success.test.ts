import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../lab/run-command.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { startProgram } from './program.ts'

interface Ending {
  readonly how: string
  readonly signal?: NodeJS.Signals
}

describe('with `saveChanges: "on-success"`, a profile', () => {
  let lab: Lab
  let sessionDir: Awaited<ReturnType<typeof mkdtempDisposable>>
  beforeAll(async () => {
    lab = await startLab()
    sessionDir = await mkdtempDisposable(join(tmpdir(), 'sessions-'))
  })
  afterAll(async () => {
    await lab[Symbol.asyncDispose]()
    await sessionDir[Symbol.asyncDispose]()
  })

  /** Returns the version of the profile of a session that ended like this. Undefined: not saved. */
  async function versionAfter({ how, signal }: Ending): Promise<number | undefined> {
    const name = `${how} ${signal}`
    const env = { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }
    await using program = startProgram('test/client/ending-program.ts', [how, sessionDir.path, 'reaper', name], env)
    await program.line('open')
    if (signal !== undefined) program.child.kill(signal)
    await program.ended
    await expect.poll(() => lab.server.liveSessions(), { timeout: 5000 }).toBe(0)
    return versionOf(name)
  }

  async function versionOf(name: string): Promise<number | undefined> {
    const { status, body } = await lab.api('GET', `/v2/browser/profiles/${name}`)
    return status === 404 ? undefined : body['data'].version
  }

  test('is saved when the work returns', async () => {
    expect(await versionAfter({ how: 'return' })).toBe(1)
  })

  test.each<Ending>([
    { how: 'throw' },
    { how: 'timeout' },
    { how: 'abort' },
    { how: 'exit' },
    { how: 'uncaught' },
    { how: 'wait', signal: 'SIGINT' },
    { how: 'wait', signal: 'SIGKILL' },
  ])('is not saved after $how $signal', async (ending) => {
    expect(await versionAfter(ending)).toBeUndefined()
  })

  test('is not saved when the API key of the session is revoked', async () => {
    const { body: key } = await lab.api('POST', '/v2/team/keys', { name: 'revoked soon' })
    const profile = { name: 'revoked', saveChanges: 'on-success' }
    const headers = { authorization: `Bearer ${key['key']}` }
    expect((await lab.api('POST', '/v2/browser', { ttl: 60, profile }, headers)).status).toBe(200)

    await lab.api('DELETE', `/v2/team/keys/${key['data'].id}`)

    expect(await versionOf('revoked')).toBeUndefined()
  })

  test('is saved by `bowline exec --save-profile on-success` only if the command exits with 0', async () => {
    const env = { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }
    const flags = ['exec', '--profile', 'exec', '--save-profile', 'on-success', '--']

    expect((await runCommand([...flags, 'false'], { env })).code).toBe(1)
    expect(await versionOf('exec')).toBeUndefined()
    expect((await runCommand([...flags, 'true'], { env })).code).toBe(0)
    expect(await versionOf('exec')).toBe(1)
  })
})
