import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startForeignService } from '../client/foreign-service.ts'
import { startProgram } from '../client/program.ts'
import { connectCdp } from '../lab/cdp-socket.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import { runCommand } from '../lab/run-command.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let home: string

beforeAll(async () => {
  lab = fixture.use(await startLab())
  home = fixture.use(await mkdtempDisposable(join(tmpdir(), 'home-'))).path
})

afterAll(async () => {
  await fixture.disposeAsync()
})

async function run(args: readonly string[], env: Readonly<Record<string, string>> = { BOWLINE_DATA_DIR: lab.dataDir }) {
  return runCommand(args, { env: { HOME: home, ...env } })
}

describe('sessions', () => {
  test('are listed, read and deleted', async () => {
    const { id } = await lab.createSession({ ttl: 60 })

    const list = await run(['sessions', 'list', '--status', 'active'])
    const read = await run(['sessions', 'show', id, '--json'])
    const unknown = '01900000-0000-7000-8000-000000000000'
    const deleted = await run(['sessions', 'delete', unknown, id, '--json'])

    expect(list.out).toContain(id)
    expect(JSON.parse(read.out)).toMatchObject({ id, status: 'active' })
    // The unknown one does not prevent the deletion of the other.
    expect(deleted.code).toBe(5)
    expect(JSON.parse(deleted.errors)).toMatchObject({ code: 'SESSION_NOT_FOUND', hint: expect.any(String) as string })
    expect(JSON.parse(deleted.out)).toMatchObject([{ sessionId: id, creditsBilled: 2 }])
    expect((await lab.api('GET', `/v2/browser/${id}`)).body['status']).toBe('destroyed')
  })

  test('are shown with their names, and found by name and metadata', async () => {
    const { id } = await lab.createSession({ ttl: 60, name: 'Nightly export', metadata: { customer: '4711' } })
    await lab.createSession({ ttl: 60, metadata: { customer: '4712' } })

    const list = await run(['sessions', 'list', '--name', 'Nightly export'])
    const found = await run(['sessions', 'list', '--metadata', 'customer=4711', '--json'])
    const none = await run(['sessions', 'list', '--metadata', 'customer=4711', '--metadata', 'b=', '--json'])
    const invalid = await run(['sessions', 'list', '--metadata', 'customer'])
    const deleted = await run(['sessions', 'delete', id])

    expect(list.out).toMatch(new RegExp(`^${id}  Nightly export  active`, 'm'))
    expect(JSON.parse(found.out)).toMatchObject([{ id, metadata: { customer: '4711' } }])
    expect(JSON.parse(none.out)).toEqual([])
    expect(invalid.errors).toContain('It must have the form key=value')
    expect(deleted.out).toContain(`session ${id} (Nightly export): `)
  })

  test('are changed by their id', async () => {
    const { id } = await lab.createSession({ ttl: 60, metadata: { a: '1', b: '2', c: '3' } })
    const flags = ['--ttl', '600', '--activity-ttl', '60', '--name', 'renamed']

    const updated = await run(['sessions', 'update', id, ...flags, '--metadata', 'd=4', '--remove-metadata', 'a', 'b'])
    const tooLong = await run(['sessions', 'update', id, '--ttl', '3600', '--json'])

    expect(updated.out).toMatch(/^expires +20/m)
    expect((await lab.api('GET', `/v2/browser/${id}`)).body).toMatchObject({
      name: 'renamed',
      metadata: { c: '3', d: '4' },
    })
    expect(tooLong.code).not.toBe(0)
    expect(JSON.parse(tooLong.errors)).toMatchObject({ message: expect.stringContaining('--max-ttl') as string })
    await lab.api('DELETE', `/v2/browser/${id}`)
  })

  test('are billed, and have recordings, which are listed and saved', async () => {
    const { id } = await lab.createSession({ ttl: 60, record: { console: true } })

    const deleted = await run(['sessions', 'delete', id])
    const list = await run(['sessions', 'recordings', id])
    const saved = await run(['sessions', 'recordings', id, '--save', join(home, 'evidence')])

    expect(deleted.out).toMatch(new RegExp(`^session ${id}: [0-9.]+ s, 2 credits$`))
    expect(list.out).toMatch(/console\.jsonl +application\/x-ndjson/)
    expect(saved.out).toContain(join(home, 'evidence', 'player.html'))
    expect(await readFile(join(home, 'evidence', 'player.html'), 'utf8')).toContain('data-name="console.jsonl"')
  })

  test('have files, which are put, listed, saved, printed and deleted', async () => {
    const { id } = await lab.createSession({ ttl: 60 })
    const local = join(home, 'notes.txt')
    await writeFile(local, 'some text')

    const put = await run(['sessions', 'files', 'put', id, local, '--name', 'sent.txt', '--json'])
    const list = await run(['sessions', 'files', 'list', id])
    const saved = await run(['sessions', 'files', 'get', id, 'sent.txt', join(home, 'back.txt')])
    const printed = await run(['sessions', 'files', 'get', id, 'sent.txt', '-'])
    await using unread = startProgram('src/cli/main.ts', ['sessions', 'files', 'get', id, 'sent.txt', '-'], {
      HOME: home,
      BOWLINE_DATA_DIR: lab.dataDir,
    })
    unread.child.stdout?.destroy()
    const { code: unreadCode } = await unread.ended
    const deleted = await run(['sessions', 'files', 'delete', id, 'sent.txt'])
    const gone = await run(['sessions', 'files', 'get', id, 'sent.txt', '-'])

    expect(JSON.parse(put.out)).toMatchObject({
      path: expect.stringMatching(/\/sent\.txt$/) as string,
      file: { size: 9 },
    })
    expect(list.out).toMatch(/sent\.txt +upload +9 .*complete/)
    expect(saved.out).toBe(join(home, 'back.txt'))
    expect(await readFile(join(home, 'back.txt'), 'utf8')).toBe('some text')
    expect(printed.out).toBe('some text')
    expect({ code: unreadCode, errors: unread.errors() }).toEqual({ code: 0, errors: '' })
    expect(deleted.code).toBe(0)
    expect(gone).toMatchObject({ code: 5, errors: expect.stringMatching(/^FILE_NOT_FOUND: /) as string })
    await lab.api('DELETE', `/v2/browser/${id}`)
  })

  test('are handed to a human, whose decision is the exit code', async () => {
    const { id, cdpUrl, interactiveLiveViewUrl } = await lab.createSession({ ttl: 60 })
    await using cdp = await connectCdp(cdpUrl)
    const page = await cdp.attachToPage()
    const args = ['sessions', 'handoff', id, '--instructions', 'Sign in']
    const open = async () => {
      await expect.poll(async () => (await lab.api('GET', `/v2/browser/${id}`)).body['handoff']).toBeDefined()
    }
    const decide = async (success: boolean, ...flags: readonly string[]) => {
      const handedOff = run([...args, ...flags])
      await open()
      await cdp.call('Cloudflare.handoffComplete', { success, reason: 'Code entered' }, page)
      return handedOff
    }

    expect(await decide(true)).toMatchObject({
      code: 0,
      out: 'done: Code entered',
      errors: `Sign in: ${interactiveLiveViewUrl}\n`,
    })
    const failed = await decide(false, '--json')
    expect(failed).toMatchObject({ code: 1, errors: `Sign in: ${interactiveLiveViewUrl}\n` })
    expect(JSON.parse(failed.out)).toEqual({ success: false, reason: 'Code entered', endedBy: 'client' })
    expect(await run([...args, '--timeout', '1'])).toMatchObject({
      code: 8,
      out: expect.stringMatching(/^not done \(timeout\)/) as string,
    })
    await using waiting = startProgram('src/cli/main.ts', args, { HOME: home, BOWLINE_DATA_DIR: lab.dataDir })
    await open()
    const second = await run(args)
    expect([second.code, second.errors]).toEqual([1, expect.stringMatching(/^HANDOFF_OPEN: /)])
    waiting.child.kill('SIGINT')
    expect(await waiting.ended).toEqual({ code: 130, signal: null })
    expect((await lab.api('GET', `/v2/browser/${id}`)).body['handoff']).toBeUndefined()
    const ended = run(args)
    await open()
    await lab.api('DELETE', `/v2/browser/${id}`)
    expect(await ended).toMatchObject({ code: 5, out: expect.stringMatching(/^not done \(session ended\)/) as string })
  })

  test('of killed processes are reaped', async () => {
    await using service = await startForeignService()
    const env = { BOWLINE_BASE_URL: service.url, BOWLINE_API_KEY: service.apiKey }
    const sessionDir = join(home, 'sessions-of-killed-processes')
    await using program = startProgram('test/client/ending-program.ts', ['wait', sessionDir, 'no-reaper'], env)
    await program.line('open')
    program.child.kill('SIGKILL')
    await program.ended

    const reaped = await run(['sessions', 'reap', '--session-dir', sessionDir], env)

    expect(reaped.out).toBe('1 deleted, 0 failed, 0 skipped (other servers)')
    // The former name of the flag.
    const again = await run(['sessions', 'reap', '--lease-dir', sessionDir], env)
    expect(again.out).toBe('0 deleted, 0 failed, 0 skipped (other servers)')
    expect(service.live.size).toBe(0)
  })
})

test('keys are created, used, listed and revoked', async () => {
  const created = await run(['keys', 'create', '--name', 'robot', '--team', 'blue', '--json'])
  const { key, data } = JSON.parse(created.out) as { key: string; data: { id: string } }
  const asRobot = { BOWLINE_DATA_DIR: lab.dataDir, BOWLINE_API_KEY: key }

  const used = await run(['sessions', 'list'], asRobot)
  const listed = await run(['keys', 'list'])
  const revoked = await run(['keys', 'revoke', data.id, '--json'])
  const refused = await run(['sessions', 'list'], asRobot)

  expect(used.code, used.errors).toBe(0)
  expect(listed.out).toContain('robot')
  expect(listed.out).not.toContain(key)
  expect(JSON.parse(revoked.out)).toMatchObject({ id: data.id, revokedAt: expect.any(String) as string })
  expect(refused).toMatchObject({ code: 4, errors: expect.stringMatching(/^UNAUTHORIZED: /) as string })
})

test('keys create prints only the key on standard output, for scripts', async () => {
  const created = await run(['keys', 'create'])

  expect(created.out).toMatch(/^bl-[0-9a-f]{32}$/)
  expect(created.errors).toContain('It is not shown again.')
})

test.each([
  ['an unknown option', ['sessions', 'list', '--colour'], 2],
  ['a missing argument', ['sessions', 'get'], 2],
  ['an invalid number', ['exec', '--ttl', 'long', '--', 'true'], 2],
  ['no command', [], 2],
  ['--help', ['--help'], 0],
])('%s ends with its code', async (_, args, code) => {
  await expect(run(args)).resolves.toMatchObject({ code })
})

test.each([
  ['--version', 0],
  ['launch', 2],
])('a process with the argument %s exits with %i', async (arg, code) => {
  await using program = startProgram('src/cli/main.ts', [arg], { HOME: home })

  expect(await program.ended).toMatchObject({ code })
})

test('without a local server, the error names the settings to use', async () => {
  const { code, errors } = await run(['sessions', 'list'], { BOWLINE_DATA_DIR: join(home, 'nothing-here') })

  expect(code).toBe(3)
  expect(errors).toMatch(/^CONFIG_INVALID: .*nothing-here \(Start `bowline serve`, or set BOWLINE_BASE_URL/)
})

test('the key of the local server is not sent to another server', async () => {
  await using service = await startForeignService()

  const { code, errors } = await run(['sessions', 'list', '--base-url', service.url])

  expect(code).toBe(3)
  expect(errors).toContain('No API key was given')
  expect(service.requests).toEqual([])
})
