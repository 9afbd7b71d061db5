import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assertDisplayAvailable, startDisplay } from '../../src/browsers/display.ts'
import type { BrowserFolder } from '../../src/browsers/folders.ts'
import type { IsolationLayers } from '../../src/browsers/isolation.ts'
import { openDataDir, until } from './browser-fixture.ts'
import { displaysOf, hasXvfb, isDisplay } from './displays.ts'
import { startServerLike } from './server-like.ts'

test('a missing program is named with the package to install', async () => {
  await expect(assertDisplayAvailable('chromium', ['/usr/bin/env', '/nonexistent/Xvfb'])).rejects.toMatchObject({
    code: 'NOT_IMPLEMENTED',
    message: '`headless: false` requires a virtual display, but /nonexistent/Xvfb is missing',
    hint: 'Install it on the machine of the server: `apt-get install xvfb`.',
  })
})

// Without Xvfb, which the set-up of the tests installs where it may, there is no display.
test.runIf(hasXvfb)(
  'displays admit only their browser, and end with a killed server (skipped without Xvfb)',
  async () => {
    await using dataDir = await openDataDir()
    await using server = await startServerLike(dataDir.path, ['bubblewrap', 'signal', 'pipe'], 'headful')
    const displays = displaysOf(process.pid)
    const [inBubblewrap, byItself] = server.browserPids.map(displayOf)

    expect(displays.length).toBe(3)
    expect(inBubblewrap).toBe('0')
    expect(await connectWithoutCookie(`/tmp/.X11-unix/X${byItself}`)).toBe('refused')
    await expect(once(connect(6000 + Number(byItself), '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED')

    await server.kill()

    await until(() => !displays.some(isDisplay), 'all displays exit')
  },
)

test.runIf(hasXvfb)('a display that was killed leaves no socket (skipped without Xvfb)', async () => {
  await using dataDir = await openDataDir()
  const root = dataDir.path
  await mkdir(join(root, 'tmp'))
  const folder = { root, tmpDir: join(root, 'tmp'), visiblePaths: { tmpDir: '' } } as unknown as BrowserFolder
  const isolation = { jail: { missing: 'tried' }, setprivPath: undefined } as IsolationLayers
  const others = displaysOf(process.pid)
  const display = await startDisplay({ kind: 'chromium', isolation, folder, uid: undefined })
  const socket = `/tmp/.X11-unix/X${display.environment['DISPLAY']?.slice(1)}`
  const pid = displaysOf(process.pid).find((each) => !others.includes(each))!
  expect(existsSync(socket)).toBe(true)

  process.kill(pid, 'SIGKILL')
  await display[Symbol.asyncDispose]()

  expect(existsSync(socket)).toBe(false)
})

/** The number of the display in the environment of a browser. */
function displayOf(pid: number): string | undefined {
  return /(?:^|\0)DISPLAY=:(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1]
}

/** Connects to an X server without authorization. */
async function connectWithoutCookie(path: string): Promise<'accepted' | 'refused'> {
  const socket = connect(path)
  // Little-endian, protocol 11.0, no authorization.
  socket.write(Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
  const [reply] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return reply[0] === 1 ? 'accepted' : 'refused'
}
