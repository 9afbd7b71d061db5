import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startConfigured } from '../../server/src/app.ts'
import { parseConfig } from '../../server/src/config.ts'
import { lockFolder } from '../../server/src/store/lock.ts'
import { startServerProcess } from '../lab/server-process.ts'

test('a closed terminal drains the server: its sessions are ended and billed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-serve-'))
  await using server = await startServerProcess({ dataDir: folder.path })
  const { id } = await server.create()

  server.kill('SIGHUP')

  expect(await server.exited).toEqual({ code: 0, signal: null })
  const ended = server
    .log()
    .split('\n')
    .find((line) => line.includes('session ended'))
  expect(JSON.parse(ended ?? '{}')).toMatchObject({
    sessionId: id,
    endReason: 'drained',
    teamId: expect.any(String),
    keyId: expect.any(String),
  })
})

test('an aborted start rejects with the reason and releases the data directory', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-serve-'))
  const config = parseConfig({ dataDir: folder.path, port: 0, logLevel: 'silent' })

  await expect(startConfigured(config, { signal: AbortSignal.abort('SIGTERM') })).rejects.toBe('SIGTERM')

  using _lock = await lockFolder(folder.path)
})
