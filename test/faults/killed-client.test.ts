import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startProgram } from '../client/program.ts'
import { startLab } from '../lab/lab.ts'

test(
  'the session of a client killed at any moment of its creation is deleted within five seconds',
  { timeout: 90_000 },
  async () => {
    await using lab = await startLab({ warm: 1 })
    await using sessionDir = await mkdtempDisposable(join(tmpdir(), 'sessions-'))
    const env = { BOWLINE_BASE_URL: lab.server.url, BOWLINE_API_KEY: lab.server.apiKey }
    const dieAfter = async (delayMs: number): Promise<void> => {
      await using client = startProgram('test/faults/killed-client.ts', [sessionDir.path], env)
      await client.line('creating')
      await sleep(delayMs)
      client.child.kill('SIGKILL')
      await client.ended
    }

    for (const delays of [
      [0, 20, 80],
      [40, 150, 400],
    ]) {
      await Promise.all(delays.map(dieAfter))
      await expect.poll(() => lab.server.liveSessions(), { timeout: 5000 }).toBe(0)
    }

    const { sessions } = (await lab.api('GET', '/v2/browser')).body as { sessions: Record<string, unknown>[] }
    expect(sessions.filter(({ status }) => status === 'active')).toEqual([])
  },
)
