import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BowlineError } from '../../../src/kit/errors.ts'
import type { BrowserHost } from '../../src/browsers/host.ts'
import { launchBrowser, type Browser } from '../../src/browsers/launch.ts'
import { groupMembers } from '../../src/browsers/process-table.ts'
import { openBrowserFixture, openDataDir, until, untilNothingIsLeft } from './browser-fixture.ts'
import { openTestProxy } from '../egress/open-test-proxy.ts'

const isRoot = process.getuid?.() === 0

function statusOf(pid: number, field: string): string {
  return new RegExp(`^${field}:[\\t ]*(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? ''
}

function argumentsOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
}

function pathOf({ pid }: Browser): string | undefined {
  return /(?:^|\0)PATH=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1]
}

function socketsOf(pids: readonly number[]): ReadonlySet<string> {
  return new Set(
    pids
      .flatMap((pid) => readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)))
      .flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []),
  )
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function listeningInodes(): readonly string[] {
  return ['tcp', 'tcp6']
    .flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === '0A')
    .map((fields) => fields[9]!)
}

async function evaluate(browser: Browser, expression: string): Promise<unknown> {
  const { router, parkedTargetId: targetId } = browser
  const { sessionId } = await router.call('Target.attachToTarget', { targetId, flatten: true })
  const options = { expression, awaitPromise: true, returnByValue: true }
  const { result } = await router.callIn(sessionId)('Runtime.evaluate', options)
  return (result as { value: unknown }).value
}

function candidates(stunPort: number): string {
  return `new Promise((resolve) => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stunPort}' }] })
  let found = 0
  peer.onicecandidate = ({ candidate }) => candidate?.candidate ? found++ : resolve(found)
  peer.createDataChannel('x')
  peer.createOffer().then((offer) => peer.setLocalDescription(offer))
})`
}

describe('a browser', () => {
  let host: BrowserHost

  beforeAll(async () => {
    host = await openBrowserFixture('shell')
  })
  afterAll(async () => host[Symbol.asyncDispose]())

  test('that does not respond is killed on close', async () => {
    const browser = await launchBrowser(host)
    process.kill(browser.pid, 'SIGSTOP')

    await browser.close()

    expect((await browser.exited).signal).toBe('SIGKILL')
    await untilNothingIsLeft(browser.folder.root)
  })

  test('that is stopped keeps its profile folder', async () => {
    await using browser = await launchBrowser(host)

    await browser.stop()

    expect(existsSync(browser.folder.userDataDir)).toBe(true)
  })

  test('that is started by a script finds the programs the script needs', async () => {
    await using folder = await openDataDir()
    await chmod(folder.path, 0o755)
    const path = join(folder.path, 'launcher')
    await writeFile(path, `#!/bin/sh\nexec ${host.binary.path} "$@"\n`, { mode: 0o755 })
    // There is no shell inside bubblewrap.
    const isolation = { ...host.isolation, jail: { missing: 'not expected here' } }

    await using browser = await launchBrowser({ ...host, isolation, binary: { ...host.binary, path } })

    expect(pathOf(browser)).toBe('/usr/local/bin:/usr/bin:/bin')
  })

  test.runIf(isRoot)('outside bubblewrap ends with a process of its user that left its group', async () => {
    const isolation = { ...host.isolation, jail: { missing: 'not expected here' } }
    const browser = await launchBrowser({ ...host, isolation })
    const { uid } = browser
    const escaped = spawn('sleep', ['600'], { detached: true, ...(uid === undefined ? {} : { uid, gid: uid }) })
    const exited = once(escaped, 'exit')
    await once(escaped, 'spawn')

    await browser.kill()

    expect(await exited).toEqual([null, 'SIGKILL'])
  })
})

describe.each(['shell', 'chromium'] as const)('%s', (kind) => {
  const undo = new AsyncDisposableStack()
  const asked: string[] = []
  // The last tests end them.
  let browser: Browser
  let other: Browser

  beforeAll(async () => {
    const host = undo.use(await openBrowserFixture(kind))
    const egress = undo.use(
      openTestProxy(async ({ host: name, port }) => {
        asked.push(`${name}:${port}`)
        throw new BowlineError('EGRESS_REFUSED', 'refused')
      }),
    )
    process.env['BOWLINE_TEST_SECRET'] = 'hunter2'
    browser = undo.use(
      await launchBrowser(host, {
        openProxyEndpoint: egress.openProxyEndpoint,
        fillUserDataDir: async ({ userDataDir }) => writeFile(join(userDataDir, 'note'), 'mine', { mode: 0o600 }),
      }),
    )
    delete process.env['BOWLINE_TEST_SECRET']
    other = undo.use(await launchBrowser(host))
  })
  afterAll(async () => undo.disposeAsync())

  test('starts with one loaded page', async () => {
    expect(browser.version).toContain('Chrome/')
    expect(await evaluate(browser, '[location.href, document.readyState]')).toEqual(['about:blank', 'complete'])
  })

  test('does not inherit the environment of the server', () => {
    const names = readFileSync(`/proc/${browser.pid}/environ`, 'utf8')
      .split('\0')
      .filter((line) => line !== '')
      .map((line) => line.split('=')[0])

    expect(new Set(names)).toEqual(new Set(['HOME', 'LANG', 'PATH', 'TMPDIR', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME']))
  })

  test('finds no programs to start for links', () => {
    expect(pathOf(browser)).toBe('/nonexistent')
  })

  test.runIf(isRoot)('runs sandboxed as another user if the server is root', () => {
    expect(statusOf(browser.pid, 'Uid').split('\t')).toEqual(Array.from({ length: 4 }, () => String(browser.uid)))
    expect(statusOf(browser.pid, 'Groups').trim()).toBe('')
    expect(browser.uid).not.toBe(other.uid)
    expect(argumentsOf(browser.pid)).not.toContain('--no-sandbox')
  })

  test('owns the files prepared in its profile', () => {
    expect(statSync(join(browser.folder.userDataDir, 'note')).uid).toBe(browser.uid ?? process.getuid?.())
  })

  test('confines its renderers with seccomp', () => {
    const renderers = groupMembers(browser.pid).filter((pid) => argumentsOf(pid).join(' ').includes('--type=renderer'))

    expect(renderers.length).toBeGreaterThan(0)
    expect(renderers.map((pid) => statusOf(pid, 'Seccomp'))).toEqual(renderers.map(() => '2'))
  })

  test('listens on no port', () => {
    const sockets = socketsOf(groupMembers(browser.pid))

    expect(sockets.size).toBeGreaterThan(0)
    expect(listeningInodes().filter((inode) => sockets.has(inode))).toEqual([])
  })

  test('uses its proxy even for loopback addresses', async () => {
    const targets = ['http://localhost:8099', 'http://127.0.0.1:8098', 'https://localhost:8097', 'ws://127.0.0.1:8096']

    for (const target of targets.slice(0, 3)) {
      await evaluate(browser, `fetch('${target}/', { mode: 'no-cors' }).then(() => 1, () => 0)`)
    }
    await evaluate(browser, `new Promise((done) => { new WebSocket('${targets[3]}').onclose = done })`)

    expect(asked).toEqual(expect.arrayContaining(targets.map((target) => target.replace(/^\w+:\/\//, ''))))
  })

  test('sends no WebRTC packets around the proxy', async () => {
    const stun = createSocket('udp4')
    let packets = 0
    stun.on('message', () => packets++)
    stun.bind(0, '127.0.0.1')
    await once(stun, 'listening')

    const found = await evaluate(browser, candidates(stun.address().port))
    stun.close()

    expect({ found, packets }).toEqual({ found: 0, packets: 0 })
  })

  test('has no process for the network and none that forks others without a sandbox', async () => {
    const commands = (): readonly string[] => groupMembers(browser.pid).map((pid) => argumentsOf(pid).join(' '))
    // On a slow machine, it starts after the browser has responded.
    const hasGpu = (): boolean => commands().some((command) => command.includes('--type=gpu-process'))
    await until(hasGpu, 'the process of the GPU starts')

    expect(commands().filter((command) => /network\.mojom|--no-zygote-sandbox/.test(command))).toEqual([])
  })

  test('leaves no process and no folder when closed', async () => {
    await browser.close()

    expect(await browser.exited).toEqual({ code: 0, signal: null })
    expect(existsSync(browser.folder.root)).toBe(false)
    await until(() => groupMembers(browser.pid).length === 0, 'its processes end')
    await untilUserHasNoProcess(browser)
    await untilNothingIsLeft(browser.folder.root)
  })

  test('leaves no process and no folder when killed', async () => {
    await other.kill()

    expect((await other.exited).signal).toBe('SIGKILL')
    await untilUserHasNoProcess(other)
    await untilNothingIsLeft(other.folder.root)
  })
})

/** Waits until no process of the user of a browser is left, in its process group or not. */
async function untilUserHasNoProcess({ uid }: Browser): Promise<void> {
  if (uid === undefined) return
  const isRunning = (pid: string): boolean => {
    try {
      return statusOf(Number(pid), 'Uid').startsWith(`${uid}\t`)
    } catch {
      // The process has ended.
      return false
    }
  }
  const pids = (): readonly string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  await until(() => !pids().some(isRunning), `the processes of the user ${uid} end`)
}

describe('a failed launch', () => {
  let host: BrowserHost

  beforeAll(async () => {
    host = await openBrowserFixture()
  })
  afterAll(async () => host[Symbol.asyncDispose]())

  const browserFolders = (): readonly string[] => readdirSync(host.boot.path).filter((name) => name !== 'server.json')

  test('reports the output of the browser and leaves no folder', async () => {
    const binary = { path: '/bin/ls', kind: 'shell', version: '0' } as const

    await expect(launchBrowser({ ...host, binary })).rejects.toMatchObject({
      code: 'BROWSER_START_FAILED',
      message: expect.stringContaining('unrecognized option'),
    })

    expect(browserFolders()).toEqual([])
  })

  test('reports that the program cannot be executed', async () => {
    const binary = { path: '/nowhere/chromium', kind: 'shell', version: '0' } as const
    const isolation = { ...host.isolation, setprivPath: undefined, jail: { missing: 'not expected here' } }

    await expect(launchBrowser({ ...host, binary, isolation })).rejects.toMatchObject({
      code: 'BROWSER_START_FAILED',
      message: expect.stringContaining('ENOENT'),
    })

    expect(browserFolders()).toEqual([])
  })

  test('times out if the browser does not respond', async () => {
    const path = join(host.boot.path, '..', 'silent')
    await writeFile(path, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 })
    const binary = { path, kind: 'shell', version: '0' } as const
    // There is no shell inside bubblewrap.
    const isolation = { ...host.isolation, jail: { missing: 'not expected here' } }

    await expect(launchBrowser({ ...host, binary, isolation }, { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'BROWSER_START_FAILED',
      message: expect.stringContaining('did not respond within 0.2 s'),
    })

    expect(browserFolders()).toEqual([])
  })

  test('rejects with the reason of the abort and leaves no folder', async () => {
    const abort = new AbortController()
    const launching = launchBrowser(host, {}, abort.signal)
    await until(() => browserFolders().length > 0, 'the launch has begun')

    abort.abort(new Error('no longer needed'))

    await expect(launching).rejects.toThrow('no longer needed')
    expect(browserFolders()).toEqual([])
  })
})
