import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Bowline, type SessionBill } from '../../src/index.ts'
import { startProgram } from './program.ts'

async function startFixture(how: string) {
  await using undo = new AsyncDisposableStack()
  const dir = undo.use(await mkdtempDisposable(join(tmpdir(), 'embedded-'))).path
  const program = undo.use(startProgram('test/client/embedded-program.ts', [how], { TMPDIR: dir }))
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
  await using fixture = await startFixture('return')

  const end = await fixture.program.ended

  expect(end, fixture.program.errors()).toEqual({ code: 0, signal: null })
  expect(fixture.program.lines.at(-1)).toBe('resolved done')
  expect(bill(fixture.program.lines)).toMatchObject({ endedBy: 'return', creditsBilled: 2 })
  expect(await readdir(fixture.dir)).toEqual([])
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends its sessions, then the server, then the program', async (signal) => {
  await using fixture = await startFixture('wait')
  await fixture.program.line('open')

  fixture.program.child.kill(signal)
  const end = await fixture.program.ended

  expect(end, fixture.program.errors()).toEqual({ code: null, signal })
  expect(bill(fixture.program.lines)).toMatchObject({ endedBy: 'signal', creditsBilled: 2 })
  expect(await readdir(fixture.dir)).toEqual([])
})

test('a signal during the start leaves no directory behind', async () => {
  await using fixture = await startFixture('start')

  const end = await fixture.program.ended

  expect(end, fixture.program.errors()).toEqual({ code: null, signal: 'SIGTERM' })
  expect(await readdir(fixture.dir)).toEqual([])
})

test('process.exit stops the server, and onEnd reports a missing bill', async () => {
  await using fixture = await startFixture('exit')

  const end = await fixture.program.ended

  expect(end.code, fixture.program.errors()).toBe(4)
  expect(bill(fixture.program.lines)).toMatchObject({ endedBy: 'exit', error: { code: 'DELETE_FAILED' } })
  expect(await readdir(fixture.dir)).toEqual([])
})

test('a custom data directory is kept', async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), 'embedded-'))
  let url = ''

  {
    await using bowline = await Bowline.embedded({ dataDir: dir.path, warm: 0 })
    url = bowline.baseUrl
    expect(await bowline.sessions.list()).toEqual([])
  }

  expect(await readdir(dir.path)).not.toEqual([])
  expect(await isListening(url)).toBe(false)
})
