import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreateSessionResponse, ExecuteResponse } from '../../../src/contract.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

const fixture = new AsyncDisposableStack()
let site: Site
let lab: Lab
let session: CreateSessionResponse
beforeAll(async () => {
  site = fixture.use(await startSite())
  lab = fixture.use(await startLab())
  session = await lab.createSession({ blockedDomains: ['localhost'] })
})
afterAll(async () => fixture.disposeAsync())

const post = async (body: object, id = session.id): Promise<Answer> =>
  lab.api('POST', `/v2/browser/${id}/execute`, body)
const run = async (code: string, options: object = {}): Promise<ExecuteResponse> =>
  (await post({ code, language: 'bash', ...options })).body as ExecuteResponse

/** The arguments of a program in the background. Random numbers of other processes are no match. */
const sleeper = 'sleep\x0098765\0'

/** Processes of this machine whose command line contains a text. */
function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
    } catch {
      // The process has ended.
      return false
    }
  })
}

describe('code in a session', () => {
  test('reads no file of the machine, and writes only to its own folders', async () => {
    const outcome = await run(`cat /etc/shadow ${lab.dataDir}/* ${process.cwd()}/package.json
      cat /proc/1/environ | tr '\\0' '\\n' | grep -v -E '^(PWD|SHLVL|_|HOME|TMPDIR|LANG|PATH|USER|SESSION_ID|CDP_URL|NODE_CHANNEL[A-Z_]*|[a-zA-Z_]+_(proxy|PROXY))='
      for folder in / /usr /etc /dev /bowline /browser/uploads; do touch $folder/x && echo wrote $folder; done
      touch ~/x /tmp/x /dev/shm/x && echo wrote own; id -un; ls /proc | grep -c '^[0-9]'`)

    const [written, user, processes] = outcome.stdout.split('\n')
    expect([written, user]).toEqual(['wrote own', 'session'])
    expect(Number(processes)).toBeLessThan(10)
  })

  test('has no privileges, and sees no processes but its own', async () => {
    const outcome = await run('grep -E "^(CapEff|NoNewPrivs)" /proc/self/status; kill -9 1 2>&1; echo alive')

    expect(outcome.stdout).toMatch(/CapEff:\t0000000000000000\nNoNewPrivs:\t1\n.*alive/s)
  })

  test('stays the first to end when the machine runs out of memory', async () => {
    const { result } = await run('echo 0 >/proc/self/oom_score_adj; cat /proc/self/oom_score_adj /proc/1/oom_score_adj')

    expect(result).toBe('1000\n1000\n')
  })

  test('opens no sockets but Unix and IP ones', async () => {
    const { result } = await run(
      `import socket
def opens(family):
    try: return socket.socket(family, socket.SOCK_STREAM if family == 40 else socket.SOCK_DGRAM).close() is None
    except OSError: return False
[family for family in range(46) if opens(family)]`,
      { language: 'python' },
    )

    expect(JSON.parse(result)).toEqual([1, 2, 10])
  })

  test('reaches only what the egress proxy of the session allows', async () => {
    const server = `${lab.server.url}/healthz`
    const page = site.url('/')
    const get = (url: string, way: string): string =>
      `curl -s -m 5 -o /dev/null -w '%{http_code}/%{http_connect} ' ${way} ${url}`
    const direct = '--noproxy "*"'
    const proxied = '--noproxy ""'

    const { stdout } = await run(
      [
        get(server, direct),
        get(server, proxied),
        get(page, direct),
        get(page, proxied),
        get(page.replace('127.0.0.1', 'localhost'), proxied),
      ].join('\n'),
    )

    expect(stdout.trim().split(' ')).toEqual(['000/000', '403/000', '000/000', '200/000', '403/000'])
  })

  test('reaches the CDP of its own session only, by its policy', async () => {
    const other = await lab.createSession()

    const code = `const socket = new WebSocket(process.env.CDP_URL + '/v2/browser/${other.id}/cdp')
      await new Promise((resolve) => socket.onopen = resolve)
      const ask = (method, params = {}) => new Promise((resolve) => {
        socket.onmessage = ({ data }) => JSON.parse(data).id === 1 && resolve(JSON.parse(data))
        socket.send(JSON.stringify({ id: 1, method, params }))
      })
      const own = await ask('Target.getTargets')
      const file = await ask('Target.createTarget', { url: 'file:///etc/passwd' })
      ;({ targets: own.result.targetInfos.map(({ targetId }) => targetId), file })`
    const outcome = await run(code, { language: 'node' })
    const [own, others] = await Promise.all([session, other].map(async ({ id }) => targetsOf(id)))
    await lab.api('DELETE', `/v2/browser/${other.id}`)

    const { targets, file } = JSON.parse(outcome.result)
    expect(targets).toEqual(own)
    expect(targets).not.toEqual(others)
    expect(file.error.message).toMatch(/file/)
  })
})

async function targetsOf(id: string): Promise<readonly string[]> {
  const { result } = (
    await post(
      {
        code: '(await (await context.newCDPSession(page)).send("Target.getTargets")).targetInfos.map(({ targetId }) => targetId)',
      },
      id,
    )
  ).body
  return JSON.parse(result)
}

describe('a limit ends', () => {
  test.each([
    ['an endless loop', { code: 'for (;;) {}', language: 'node', timeout: 1 }, /ran longer than 1 s/],
    ['code that waits', { code: 'echo begun; sleep 1000', language: 'bash', timeout: 1 }, /ran longer than 1 s/],
    ['endless output', { code: 'yes', language: 'bash' }, /wrote more than 16 MB/],
    [
      'code that answers for its interpreter',
      {
        code: `const line = '0\\n'.repeat(30_000); for (;;) try { require('node:fs').writeSync(4, line) } catch {}`,
        language: 'node',
      },
      /wrote to the pipe of its interpreter/,
    ],
    [
      'memory of several processes',
      {
        code: `for i in 1 2; do python3 -c 'import time; kept = b"1" * 350_000_000; time.sleep(60)' & done; wait`,
        language: 'bash',
      },
      /512 MB of memory/,
    ],
  ])('%s, and the next call starts afresh', async (_name, request, reason) => {
    await run('value=1', { language: request.language })

    const killed = (await post(request)).body
    const next = await run(request.language === 'bash' ? 'echo ${value-none}' : 'typeof value', {
      language: request.language,
    })

    expect(killed).toMatchObject({ success: true, killed: true, exitCode: 137 })
    expect(killed['error']).toMatch(reason)
    expect(killed['error']).toContain('The next call starts a new')
    expect(next).toMatchObject({ exitCode: 0, result: expect.stringMatching(/^(?:none|undefined)\n?$/) })
  })

  test('connections of code to the CDP of its session', async () => {
    const code = `const net = require('node:net')
      const sockets = Array.from({ length: 500 }, () => net.connect(9222, '127.0.0.1').on('error', () => {}))
      const open = () => sockets.filter(({ closed }) => !closed).length
      // The server accepts connections one after another, and closes those beyond the limit.
      while (open() > 64) await new Promise((resolve) => setTimeout(resolve, 10))
      const left = open()
      for (const socket of sockets) socket.destroy()
      left`
    const { result } = await run(code, { language: 'node', timeout: 10 })

    expect(result).toBe('64')
  })

  test('a fork bomb at its number of processes, and the session goes on', async () => {
    const outcome = await run(`sh -c 'for i in $(seq 400); do sleep 60 & done'`)
    const page = await run('await page.title()', { language: 'node' })
    await run('exit')

    expect(outcome).toMatchObject({ exitCode: 2, error: expect.stringMatching(/Cannot fork/) })
    expect(page.exitCode).toBe(0)
  })
})

test('output above a megabyte is cut', async () => {
  const outcome = await run('head -c 3000000 /dev/zero | tr "\\0" x')

  expect(outcome).toMatchObject({ exitCode: 0, truncated: true })
  expect(outcome.stdout).toHaveLength(1_000_000)
})

test('the end of a session ends its code, and processes that the code left in the background', async () => {
  const { id } = await lab.createSession()
  await post({ code: 'setsid nohup sleep 98765 >/dev/null 2>&1 & disown', language: 'bash' }, id)
  // Bash does not wait for the start of a command in the background.
  await expect.poll(() => processesWith(sleeper)).toHaveLength(1)
  const running = post({ code: 'console.log(1); await new Promise(() => {})' }, id)
  await expect.poll(() => processesWith('program.mts').length).toBeGreaterThan(0)

  await lab.api('DELETE', `/v2/browser/${id}`)
  const ended = await running

  expect([ended.status, ended.body['code']]).toEqual([410, 'SESSION_ENDED'])
  await expect.poll(() => processesWith(sleeper)).toEqual([])
})
