import { appendFile, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProgram, type Program } from '../program.ts'
import { read, startPoolWorld, type PoolWorld } from './world.ts'

const startPool = (world: PoolWorld, home: string, ...args: readonly string[]): Program =>
  startProgram('test/client/pool/pool-program.ts', args, {
    HOME: home,
    BOWLINE_BASE_URL: world.service.url,
    BOWLINE_API_KEY: world.service.apiKey,
  })

test('a run that was killed goes on where it was, with its earlier results and its earlier costs', async () => {
  await using world = await startPoolWorld()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const path = join(folder.path, 'run.jsonl')
  {
    await using killed = startPool(world, folder.path, path, '3')
    await killed.line('result 2')
    killed.child.kill('SIGKILL')
    await killed.ended
    // By the process that outlives it.
    await world.service.whenDeleted(1)
  }
  // What a power failure leaves of a line.
  await appendFile(path, '{"key":"3","resu')

  await using resumed = startPool(world, folder.path, path)
  const end = await resumed.ended

  expect(end.code, resumed.errors()).toBe(0)
  expect(resumed.lines.filter((line) => line.startsWith('worked'))).toEqual(['worked 3', 'worked 4', 'worked 5'])
  expect(resumed.lines.filter((line) => line.startsWith('result'))).toEqual(
    [0, 1, 2, 3, 4, 5].map((number) => `result ${number} ${number * number}`),
  )
  expect(resumed.lines.at(-1)).toBe('summary {"resumed":3,"credits":4,"stoppedBy":"end"}')
})

test('what the earlier runs of a checkpoint have cost counts against the budget', async () => {
  await using world = await startPoolWorld()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const pool = world.bowline.pool({ size: 1, budget: 5, checkpoint: join(folder.path, 'run.jsonl') })
  await read(pool.run(['a'], () => 1))
  await read(pool.run(['a', 'b'], () => 2))

  const last = pool.run(['a', 'b', 'c'], () => 3)

  expect(await read(last)).toEqual([1, 2])
  expect(await last.done()).toMatchObject({ resumed: 2, credits: 4, stoppedBy: 'budget' })
})

test.each([
  ['another file', 'name,price\n'],
  ['a broken line', '{"bowline":"checkpoint","version":1}\nnonsense\n'],
])('%s is refused and left as it is', async (_, content) => {
  await using world = await startPoolWorld()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-pool-'))
  const path = join(folder.path, 'prices.csv')
  await writeFile(path, content)

  const run = world.bowline.pool({ checkpoint: path }).run([1], () => 1)

  await expect(run.done()).rejects.toMatchObject({ code: 'CHECKPOINT_INVALID' })
  expect(await readFile(path, 'utf8')).toBe(content)
})
