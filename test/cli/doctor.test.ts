import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../lab/run-command.ts'
import { writeUnsandboxed } from '../lab/unsandboxed-browser.ts'
import { selfSigned } from '../../server/test/egress/certificate.ts'
import { openDataDir } from '../../server/test/browsers/browser-fixture.ts'

interface Finding {
  readonly what: string
  readonly state: 'good' | 'poor' | 'bad'
  readonly detail: string
}

let home: Awaited<ReturnType<typeof openDataDir>>
beforeAll(async () => {
  home = await openDataDir()
})
afterAll(async () => home[Symbol.asyncDispose]())

async function runDoctor(...args: readonly string[]): Promise<{ code: number; findings: readonly Finding[] }> {
  const dataDir = join(home.path, 'data')
  // Simulates a read-only root: only the data directory is writable.
  const env = { TMPDIR: '/proc/sys' }
  const { code, out } = await runCommand(['doctor', '--data-dir', dataDir, '--json', ...args], { env })
  return { code, findings: JSON.parse(out) as readonly Finding[] }
}

test('all checks pass if a browser starts in a sandbox, even if only the data directory is writable', async () => {
  const [cert, key] = [join(home.path, 'server.crt'), join(home.path, 'server.key')]
  await writeFile(cert, selfSigned.cert)
  await writeFile(key, selfSigned.key)

  const { code, findings } = await runDoctor('--tls-cert', cert, '--tls-key', key)

  expect(findings.filter(({ state }) => state === 'bad')).toEqual([])
  expect(findings.at(-1)).toEqual({
    what: 'TLS certificate',
    state: 'good',
    detail: 'DNS:localhost, IP Address:127.0.0.1, valid until 2126-10-28',
  })
  expect(code).toBe(0)
})

test('the doctor fails for a data directory that cannot be created', async () => {
  const { code, out } = await runCommand(['doctor', '--data-dir', '/proc/bowline', '--json'], { env: {} })

  const findings = JSON.parse(out) as readonly Finding[]
  expect(findings.filter(({ state }) => state === 'bad')).toEqual([
    {
      what: 'data directory',
      state: 'bad',
      detail: expect.stringContaining('The data directory /proc/bowline cannot be used: ENOENT'),
    },
  ])
  expect(code).toBe(1)
})

test('the doctor leaves no data directory behind', async () => {
  const dataDir = join(home.path, 'missing', 'data')

  const { findings } = await runDoctor('--data-dir', dataDir)

  expect(findings).toContainEqual({
    what: 'data directory',
    state: 'good',
    detail: expect.stringMatching(`^${dataDir} is writable, \\d+ MB free$`),
  })
  await expect(access(join(home.path, 'missing'))).rejects.toThrow('ENOENT')
})

test.each([
  ['auto', 'browser starts'],
  ['none', 'chromium sandbox'],
])('the doctor fails with --isolation %s where no browser starts in a sandbox', async (isolation, what) => {
  const browser = await writeUnsandboxed(home.path)

  const { code, findings } = await runDoctor('--browser', browser, '--isolation', isolation)

  expect(findings.find((finding) => finding.what === what)).toMatchObject({
    state: 'bad',
    detail: expect.stringContaining('sandbox'),
  })
  expect(code).toBe(1)
})
