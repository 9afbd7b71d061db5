import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../lab/run-command.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { Bowline, type SessionBill } from '../../src/index.ts'
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
    const { body } = await lab.api('GET', '/v2/browser?profile=revoked')
    expect(body['sessions'][0].profile).toMatchObject({
      onlyOnSuccess: true,
      error: expect.stringContaining('The API key of the session was revoked') as string,
    })
  })

  test('has the reason in the bill when it is not saved, and the loaded version', async () => {
    await using bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
    const profile = { name: 'billed', saveChanges: 'on-success' } as const
    const onSuccess = { name: 'billed', saveChanges: true, onlyOnSuccess: true }
    const bills: SessionBill[] = []

    const failing = bowline.withSession({ profile, onEnd: (bill) => bills.push(bill) }, () =>
      Promise.reject(new Error('mine')),
    )
    await expect(failing).rejects.toThrow('mine')
    const saved = await bowline.withSession({ profile }, ({ session }) => session.profile?.loadedVersion)
    const read = await bowline.withSession({ profile: { ...profile, saveChanges: false } }, () => 'read')

    const error = 'The work of the session failed: the profile still has no saved version'
    expect(bills[0]?.profile).toEqual({ ...onSuccess, loadedVersion: null, error })
    expect(saved).toMatchObject({ result: null, profile: { ...onSuccess, loadedVersion: null, version: 1 } })
    expect(read.profile).toEqual({ name: 'billed', saveChanges: false, loadedVersion: 1 })
  })

  test('is saved by `bowline exec --save-profile on-success` only if the command exits with 0', async () => {
    const env = { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }
    const flags = ['exec', '--profile', 'exec', '--save-profile', 'on-success', '--']

    const isEmpty = 'profile "exec" has no saved version: the browser starts empty'

    const failed = await runCommand([...flags, 'false'], { env })
    expect(failed.code).toBe(1)
    expect(failed.errors).toContain('profile "exec" not saved: the command failed with exit code 1')
    expect(failed.errors).toContain(isEmpty)
    expect(await versionOf('exec')).toBeUndefined()
    const first = await runCommand([...flags, 'true'], { env })
    expect([first.code, await versionOf('exec')]).toEqual([0, 1])
    expect(first.errors).toContain(isEmpty)
    expect((await runCommand([...flags, 'true'], { env })).errors).not.toContain(isEmpty)
  })
})
