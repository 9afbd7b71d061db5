import { execFile } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { appendFile, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startProgram, type Program } from '../program.ts'
import { sendJson } from '../foreign-service.ts'
import { read, startPoolFixture, type PoolFixture } from './fixture.ts'

function startPool(fixture: PoolFixture, home: string, ...args: readonly string[]): Program {
  return startProgram('test/client/pool/pool-program.ts', args, {
    HOME: home,
    BOWLINE_BASE_URL: fixture.service.url,
    BOWLINE_API_KEY: fixture.service.apiKey,
  })
}

test.each([
  ['killed', 'SIGKILL', false],
  ['terminated', 'SIGTERM', true],
] as const)('a run that was %s resumes with its results and costs', async (_, signal, isBilled) => {
  await using fixture = await startPoolFixture()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const path = join(folder.path, 'run.jsonl')
  {
    await using killed = startPool(fixture, folder.path, path, '3')
    await killed.line('result 2')
    killed.child.kill(signal)
    expect((await killed.ended).signal).toBe(signal)
    // After a kill, the reaper does this.
    await fixture.service.whenDeleted(1)
  }
  expect((await readFile(path, 'utf8')).includes('{"session":"session-1","credits":2}')).toBe(isBilled)
  // Partial line, as left by a power failure.
  await appendFile(path, `{"key":"3","result":"${'x'.repeat(isBilled ? 100_000 : 10)}`)

  const worked: number[] = []
  const resumed = fixture.bowline
    .pool({ size: 1, checkpoint: path, budget: 5, maxUses: 100 })
    .run([0, 1, 2, 3, 4, 5], (number) => {
      worked.push(number)
      return { square: number * number }
    })

  expect(await read(resumed)).toEqual([0, 1, 2, 3, 4, 5].map((number) => ({ square: number * number })))
  expect(worked).toEqual([3, 4, 5])
  expect(await resumed.done()).toMatchObject({ resumed: 3, credits: 4, stoppedBy: 'end' })
})

test('a run that was interrupted resumes with the items that its work has added', async () => {
  await using fixture = await startPoolFixture()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const site: Record<string, readonly string[]> = { '/': ['/a', '/b'], '/a': ['/b', '/c'], '/b': ['/'], '/c': [] }
  const pool = fixture.bowline.pool({ size: 1, order: 'input', checkpoint: join(folder.path, 'run.jsonl') })
  const worked: string[] = []
  const crawl = (path: string, { add }: { readonly add: (path: string) => boolean }): string => {
    worked.push(path)
    for (const link of site[path] ?? []) add(link)
    return path
  }

  // Interrupted after two items: `/c` has been added by `/a` only, whose result is stored.
  let left = 2
  for await (const _ of pool.run(['/'], crawl)) if (--left === 0) break
  worked.length = 0
  const resumed = pool.run(['/'], crawl)

  expect(await read(resumed)).toEqual(['/', '/a', '/b', '/c'])
  expect(worked).not.toContain('/')
  expect(worked).not.toContain('/a')
  const again = pool.run(['/'], crawl)
  expect(await read(again)).toEqual(['/', '/a', '/b', '/c'])
  expect(await again.done()).toMatchObject({ done: 4, resumed: 4, sessions: 0 })
})

test('more added items than a run reads ahead are resumed', async () => {
  await using fixture = await startPoolFixture()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const pool = fixture.bowline.pool({
    size: 1,
    order: 'input',
    maxUses: 1000,
    checkpoint: join(folder.path, 'run.jsonl'),
  })
  const last = 400
  // Every item adds the next, and the first one half of them.
  const count = (number: number, { add }: { readonly add: (number: number) => boolean }): number => {
    if (number === 0) for (let each = 1; each <= last; each += 2) add(each)
    if (number < last) add(number + 1)
    return number
  }

  const numbers = (await read(pool.run([0], count))).toSorted((one, other) => Number(one) - Number(other))

  expect(numbers).toEqual(Array.from({ length: last + 1 }, (_, index) => index))
  expect(new Set(await read(pool.run([0], count)))).toEqual(new Set(numbers))
})

test('an item that JSON cannot represent cannot be added to a run with a checkpoint', async () => {
  await using fixture = await startPoolFixture()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const run = (checkpoint?: string) =>
    fixture.bowline.pool({ size: 1, checkpoint }).run([new URL('http://a.test/')], ({ href }, { add }) => {
      if (href.endsWith('/')) add(new URL('b', href))
      return href
    })

  const [outcome] = await Array.fromAsync(run(join(folder.path, 'run.jsonl')))

  expect(outcome?.error).toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('"http://a.test/b"'),
  })
  expect(await read(run())).toEqual(['http://a.test/', 'http://a.test/b'])
})

test('sessions that an aborted run was creating count against the budget of the next run', async () => {
  let isHeld = true
  const caller = new AbortController()
  await using fixture = await startPoolFixture(({ method }, response) => {
    if (method !== 'POST' || !isHeld) return false
    caller.abort(new Error('enough'))
    void setTimeout(20).then(() =>
      sendJson(response, 200, { success: true, id: 'session-1', cdpUrl: 'ws://127.0.0.1:1/' }),
    )
    return true
  })
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const checkpoint = join(folder.path, 'run.jsonl')
  const options = { size: 1, budget: 3, checkpoint }

  const aborted = fixture.bowline.pool({ ...options, signal: caller.signal }).run([1], () => 1)
  await expect(aborted.done()).rejects.toThrow('enough')
  await fixture.service.whenDeleted(1)
  isHeld = false
  const next = fixture.bowline.pool(options).run([1], () => 1)

  expect(await next.done()).toMatchObject({ done: 0, credits: 2, stoppedBy: 'budget' })
})

test('a run that is aborted while opening its checkpoint closes the file', async () => {
  await using fixture = await startPoolFixture()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const path = join(folder.path, 'run.jsonl')
  const openFiles = (): readonly string[] =>
    readdirSync('/proc/self/fd').flatMap((file) => {
      try {
        return readlinkSync(`/proc/self/fd/${file}`)
      } catch {
        return []
      }
    })
  const caller = new AbortController()

  const aborted = fixture.bowline.pool({ checkpoint: path, signal: caller.signal }).run([1], () => 1)
  const ended = aborted.done().catch((error: unknown) => error)
  expect(openFiles()).toContain(path)
  caller.abort(new Error('enough'))

  expect(await ended).toMatchObject({ message: 'enough' })
  await expect.poll(openFiles).not.toContain(path)
})

test('any string can be a result', async () => {
  await using fixture = await startPoolFixture()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const pool = fixture.bowline.pool({ checkpoint: join(folder.path, 'run.jsonl') })
  const text = 'one\u2028two\u2029three\r\n\u{1f6a2}\\u2028'

  const first = await read(pool.run(['a', 'b'], () => text))

  expect(await read(pool.run(['a', 'b'], () => 'another'))).toEqual(first)
  expect(first).toEqual([text, text])
})

test('a run whose results cannot be stored ends with the error', async () => {
  await using fixture = await startPoolFixture()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const pool = fixture.bowline.pool({ size: 1, checkpoint: join(folder.path, 'run.jsonl') })

  await expect(pool.run([1, 2], BigInt).done()).rejects.toThrow('BigInt')
  expect([fixture.service.created.length, fixture.service.live.size]).toEqual([1, 0])
})

test('a line that does not fit on the disk leaves the other lines readable', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const program = `
    const { openCheckpoint } = await import(process.argv[1])
    process.on('SIGXFSZ', () => undefined)
    {
      await using checkpoint = await openCheckpoint(process.argv[2])
      try {
        checkpoint.addDone('a', { result: 'x'.repeat(100_000), attempts: 1, durationMs: 1 })
      } catch ({ code }) {
        console.log(code)
      }
      checkpoint.addBill('session-1', 2)
    }
    await using again = await openCheckpoint(process.argv[2])
    console.log(again.find('a'), again.billed())`
  const module = fileURLToPath(new URL('../../../src/client/pool/checkpoint.ts', import.meta.url))
  const node = [process.execPath, '--input-type=module', '--eval', program, module, join(folder.path, 'run.jsonl')]

  // Node would also write its compile cache, which exceeds the limit.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }
  const { stdout } = await promisify(execFile)('sh', ['-c', 'ulimit -f 16; exec "$@"', 'sh', ...node], { env })

  expect(stdout).toBe('EFBIG\nundefined 2\n')
})

test('the cost of previous runs of a checkpoint counts against the budget', async () => {
  await using fixture = await startPoolFixture()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const pool = fixture.bowline.pool({ size: 1, budget: 5, checkpoint: join(folder.path, 'run.jsonl') })
  await read(pool.run(['a'], () => 1))
  await read(pool.run(['a', 'b'], () => 2))

  const last = pool.run(['a', 'b', 'c'], () => 3)

  expect(await read(last)).toEqual([1, 2])
  expect(await last.done()).toMatchObject({ resumed: 2, credits: 4, stoppedBy: 'budget' })
})

test.each([
  [
    'is still live is ended and its whole bill counts',
    200,
    { success: true, sessionDurationMs: 90_000, creditsBilled: 4 },
    4,
  ],
  ['no longer exists counts with the minimum price', 404, { success: false, error: 'Not found.' }, 2],
])('a session of a killed run that %s against the budget', async (_, status, answer, credits) => {
  const ended: string[] = []
  await using fixture = await startPoolFixture(({ method, path }, response) => {
    if (method !== 'DELETE' || !path.startsWith('/v2/browser/left')) return false
    ended.push(path)
    return sendJson(response, status, answer)
  })
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const path = join(folder.path, 'run.jsonl')
  await writeFile(path, '{"bowline":"checkpoint","version":1}\n{"session":"left"}\n')

  const run = fixture.bowline.pool({ budget: 3, price: { hour: 120, minimum: 2 }, checkpoint: path }).run([1], () => 1)

  expect(await run.done()).toMatchObject({ done: 0, credits, stoppedBy: 'budget' })
  expect(ended).toEqual(['/v2/browser/left'])
})

test.each([
  ['a file of another format', 'name,price\n'],
  ...['nonsense', 'null', '{"key":1}', '{"key":"a","result":1}', '{"session":"s","credits":"2"}', '{}'].map((line) => [
    `a file with the line ${line}`,
    `{"bowline":"checkpoint","version":1}\n${line}\n`,
  ]),
])('%s is rejected and stays unchanged', async (_, content) => {
  await using fixture = await startPoolFixture()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const path = join(folder.path, 'prices.csv')
  await writeFile(path, content)

  const run = fixture.bowline.pool({ checkpoint: path }).run([1], () => 1)

  await expect(run.done()).rejects.toMatchObject({ code: 'CHECKPOINT_INVALID' })
  expect(await readFile(path, 'utf8')).toBe(content)
})
