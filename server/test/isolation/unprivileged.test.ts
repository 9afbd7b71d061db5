import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { IsolationLayer } from '../../src/browsers/isolation.ts'
import { openDataDir, untilNothingIsLeft } from '../browsers/browser-fixture.ts'

const program = fileURLToPath(new URL('programs/read-file.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const hasBubblewrap = existsSync('/usr/bin/bwrap')

interface Said {
  readonly layers: readonly IsolationLayer[]
  readonly text: string
  readonly bootPath: string
}

test.runIf(hasBubblewrap).each(['auto', 'strict'] as const)(
  'a server that is not root also runs browsers in bubblewrap, and leaves no processes when killed (%s)',
  async (isolation) => {
    await using dataDir = await openDataDir()
    const user = isRoot ? { uid: 65_533, gid: 65_533 } : {}
    if (user.uid !== undefined) await chown(dataDir.path, user.uid, user.gid)
    const child = spawn(process.execPath, [program, dataDir.path, isolation, '/etc/passwd'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: '/usr/bin:/bin', HOME: dataDir.path },
      ...user,
    })
    const exited = once(child, 'exit')

    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const { layers, text, bootPath } = JSON.parse(line.toString()) as Said
    child.kill('SIGKILL')
    await exited

    const on = layers.filter(({ state }) => state === 'on').map(({ name }) => name)
    expect(on).toEqual(expect.arrayContaining(['chromium sandbox', 'bubblewrap', 'parent-death signal']))
    expect(on.includes('network')).toBe(isolation === 'strict')
    expect(text).toContain('ERR_FILE_NOT_FOUND')
    await untilNothingIsLeft(bootPath)
  },
)
