import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { mutations } from './mutations.ts'

const program = fileURLToPath(new URL('main.ts', import.meta.url))

/** Runs the simulation in its own process, whose clocks it replaces. Returns its output. */
async function simulate(...options: readonly string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '' }
  const failed = (error: { readonly stdout?: string }): { readonly stdout: string } => ({ stdout: error.stdout ?? '' })
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...options], { env }).catch(failed)
  return stdout
}

test('random schedules of sessions, accounts, queues and leases break no law', { timeout: 120_000 }, async () => {
  const output = await simulate('--seed', '1', '--schedules', '800')

  expect(output).not.toContain('BROKEN')
  expect(output).toMatch(/lifetimes: 640 schedules/)
  expect(output).toMatch(/waiting: 136 schedules/)
  expect(output).toMatch(/servers: 40 schedules/)
})

// `npm run simulate -- --mutations` plants the others. Those with a database are too slow for each test run.
test.each(['bill by the wall clock', 'newest request first'])(
  'the laws catch a planted fault: %s',
  { timeout: 60_000 },
  async (name) => {
    const { part, brokenLaw } = mutations[name]!

    const output = await simulate('--part', part, '--mutation', name, '--seed', '1', '--schedules', '200')

    expect(output).toContain(`BROKEN in ${part}: BrokenLaw: ${brokenLaw}`)
  },
)
