import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Bowline, type SessionBill } from '../../src/index.ts'
import { sharedPostgres } from '../lab/shared-postgres.ts'
import { startProgram } from './program.ts'

/** Starts a program with an embedded server on the embedded database or on PostgreSQL. */
async function startFixture(how: string, database: 'embedded' | 'PostgreSQL') {
  await using undo = new AsyncDisposableStack()
  const dir = undo.use(await mkdtempDisposable(join(tmpdir(), 'embedded-'))).path
  const url = database === 'embedded' ? undefined : undo.use(await (await sharedPostgres()).createDatabase()).url
  const env = { TMPDIR: dir, DATABASE_URL: url }
  const program = undo.use(startProgram('test/client/embedded-program.ts', [how], env))
  const owned = undo.move()
  return { dir, program, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

function bill(lines: readonly string[]): SessionBill {
  return JSON.parse(lines.find((line) => line.startsWith('bill '))?.slice(5) ?? '{}') as SessionBill
}

async function isListening(url: string): Promise<boolean> {
  return fetch(`${url}/livez`).then(
    () => true,
    () => false,
  )
}

test('an embedded server leaves neither a listener nor a directory behind', async () => {
  await using fixture = await startFixture('return', 'embedded')

  const end = await fixture.program.ended

  expect(end, fixture.program.errors()).toEqual({ code: 0, signal: null })
  expect(fixture.program.lines.at(-1)).toBe('resolved done')
  expect(bill(fixture.program.lines)).toMatchObject({ endedBy: 'return', creditsBilled: 2 })
  expect(await readdir(fixture.dir)).toEqual([])
})

test('SIGINT ends its sessions, then the server, then the program', async () => {
  await using fixture = await startFixture('wait', 'PostgreSQL')
  await fixture.program.line('open')

  fixture.program.child.kill('SIGINT')
  const end = await fixture.program.ended

  expect(end, fixture.program.errors()).toEqual({ code: null, signal: 'SIGINT' })
  expect(bill(fixture.program.lines)).toMatchObject({ endedBy: 'signal', creditsBilled: 2 })
  expect(await readdir(fixture.dir)).toEqual([])
})

test('SIGTERM during the start leaves no directory behind', async () => {
  await using fixture = await startFixture('start', 'embedded')

  const end = await fixture.program.ended

  expect(end, fixture.program.errors()).toEqual({ code: null, signal: 'SIGTERM' })
  expect(await readdir(fixture.dir)).toEqual([])
})

test('process.exit stops the server, and onEnd reports a missing bill', async () => {
  await using fixture = await startFixture('exit', 'PostgreSQL')

  const end = await fixture.program.ended

  expect(end.code, fixture.program.errors()).toBe(4)
  expect(bill(fixture.program.lines)).toMatchObject({ endedBy: 'exit', error: { code: 'DELETE_FAILED' } })
  expect(await readdir(fixture.dir)).toEqual([])
})

test('a custom data directory is kept', async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), 'embedded-'))
  await using database = await (await sharedPostgres()).createDatabase()
  const options = { dataDir: dir.path, warm: 0, databaseUrl: database.url }
  let url = ''

  {
    await using bowline = await Bowline.embedded(options)
    url = bowline.baseUrl
    expect(await bowline.sessions.list()).toEqual([])
  }

  expect(await readdir(dir.path)).not.toEqual([])
  expect(await isListening(url)).toBe(false)
})
