import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { logIsolation } from '../../src/app/log-isolation.ts'
import { openBrowserHost } from '../../src/browsers/host.ts'
import { describeIsolation, jailOf, type IsolationLayer } from '../../src/browsers/isolation.ts'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { writeUnsandboxed } from '../../../test/lab/unsandboxed-browser.ts'
import { openDataDir } from '../browsers/browser-fixture.ts'

const hasBubblewrap = existsSync('/usr/bin/bwrap')

function layer(layers: readonly IsolationLayer[], name: IsolationLayer['name']): IsolationLayer | undefined {
  return layers.find((each) => each.name === name)
}

test.each(['auto', 'uid'] as const)(
  'where neither the sandbox nor bubblewrap works, a server with --isolation %s does not start',
  async (isolation) => {
    await using dataDir = await openDataDir()
    const choice = await writeUnsandboxed(dataDir.path)

    const opening = openBrowserHost({
      dataDir: dataDir.path,
      choice,
      isolationMode: isolation,
      environment: process.env,
    })

    await expect(opening).rejects.toMatchObject({
      code: 'ISOLATION_MISSING',
      message: expect.stringMatching(/sandbox does not start: .*No usable sandbox.*Bubblewrap: /),
      hint: expect.stringMatching(/user namespaces.*bubblewrap.*--isolation none/),
    })
  },
)

test('browsers run without isolation if configured so, with a warning in the log', async () => {
  await using dataDir = await openDataDir()
  const choice = await writeUnsandboxed(dataDir.path)
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) })

  await using host = await openBrowserHost({
    dataDir: dataDir.path,
    choice,
    isolationMode: 'none',
    environment: process.env,
  })
  logIsolation(log, host.isolation)

  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 40, isolation: { 'chromium sandbox': 'off', bubblewrap: 'off' } },
  ])
})

test('a browser that fails to start is not reported as missing isolation', async () => {
  await using dataDir = await openDataDir()
  const choice = await writeUnsandboxed(dataDir.path, 'exit 1')

  const opening = openBrowserHost({ dataDir: dataDir.path, choice, environment: process.env })

  await expect(opening).rejects.toMatchObject({ code: 'BROWSER_START_FAILED' })
})

/** A browser that starts anywhere but inside bubblewrap, where there is no shell for its script. */
async function writeLauncher(folder: string): Promise<string> {
  await chmod(folder, 0o755)
  const path = join(folder, 'launcher')
  const script = `#!/bin/sh\n[ "$1" = --version ] && echo "Chromium 1.0.0.0" && exit\nexec ${browserPaths.shell} "$@"\n`
  await writeFile(path, script, { mode: 0o755 })
  return path
}

test.runIf(hasBubblewrap)(
  'where bubblewrap does not work, browsers run without it and the reason is reported',
  async () => {
    await using dataDir = await openDataDir()
    const choice = await writeLauncher(dataDir.path)

    await using host = await openBrowserHost({ dataDir: dataDir.path, choice, environment: process.env })

    expect(jailOf(host.isolation)).toBeUndefined()
    expect(host.isolation.isSandboxed).toBe(true)
    expect(layer(describeIsolation(host.isolation), 'bubblewrap')).toMatchObject({
      state: 'off',
      detail: expect.stringMatching(/^does not work here.*bwrap: execvp/),
    })
  },
)

test.runIf(hasBubblewrap)('where strict isolation is impossible, the server does not start', async () => {
  await using dataDir = await openDataDir()
  const choice = await writeLauncher(dataDir.path)

  const opening = openBrowserHost({ dataDir: dataDir.path, choice, isolationMode: 'strict', environment: process.env })

  await expect(opening).rejects.toMatchObject({
    code: 'ISOLATION_MISSING',
    hint: expect.stringContaining('bubblewrap'),
  })
})

test.each([
  ['uid', 'switched off by --isolation uid'],
  ['none', 'switched off by --isolation none'],
] as const)('--isolation %s works without bubblewrap', async (isolation, detail) => {
  await using dataDir = await openDataDir()

  await using host = await openBrowserHost({
    dataDir: dataDir.path,
    isolationMode: isolation,
    environment: process.env,
  })

  expect(layer(describeIsolation(host.isolation), 'bubblewrap')).toEqual({ name: 'bubblewrap', state: 'off', detail })
  expect(host.isolation.runAs).toBe(isolation === 'uid' && process.getuid?.() === 0 ? 'each' : 'self')
})

test('full Chromium that opens pages on its own is rejected', async () => {
  await using dataDir = await openDataDir()
  await chmod(dataDir.path, 0o755)
  const choice = join(dataDir.path, 'unguarded')
  const script = `#!/bin/sh
for arg in "$@"; do
  case "$arg" in --user-data-dir=*) echo '{}' > "\${arg#*=}/Default/Preferences" ;; esac
done
exec ${browserPaths.chromium} "$@"
`
  await writeFile(choice, script, { mode: 0o755 })

  const opening = openBrowserHost({ dataDir: dataDir.path, choice, isolationMode: 'uid', environment: process.env })

  await expect(opening).rejects.toMatchObject({
    code: 'BROWSER_START_FAILED',
    message: expect.stringContaining('ignores the URL blocklist'),
    hint: expect.stringContaining('--browser shell'),
  })
})
