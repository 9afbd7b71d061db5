import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreateSessionResponse, ExecuteResponse } from '../../../src/contract.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

const fixture = new AsyncDisposableStack()
let site: Site
let lab: Lab
let session: CreateSessionResponse
beforeAll(async () => {
  site = fixture.use(await startSite())
  lab = fixture.use(await startLab())
  session = await lab.createSession()
})
afterAll(async () => fixture.disposeAsync())

const post = async (body: object, id = session.id): Promise<Answer> =>
  lab.api('POST', `/v2/browser/${id}/execute`, body)
const run = async (code: string, options: object = {}): Promise<ExecuteResponse> =>
  (await post({ code, ...options })).body as ExecuteResponse

describe('code of node', () => {
  test('drives the page of the session, and keeps its bindings', async () => {
    const first = await run(`await page.goto('${site.url('/')}'); const title = await page.title(); title`)
    const second = await run(`console.log('printed'); console.error('warned'); title.length`)
    const again = await run(`const title = [page.url(), context.pages().length, browser.isConnected()]; title`)

    expect(first).toEqual({
      success: true,
      stdout: '',
      stderr: '',
      result: expect.any(String),
      exitCode: 0,
      killed: false,
    })
    expect(first.result).not.toBe('')
    expect(second).toMatchObject({ stdout: 'printed\n', stderr: 'warned\n', result: String(first.result.length) })
    expect(JSON.parse(again.result)).toEqual([site.url('/'), 1, true])
  })

  test.each([
    ['throw new Error("wrong")', /^Error: wrong\n {4}at <anonymous>:1:7$/],
    ['await Promise.reject(new TypeError("late"))', /^TypeError: late/],
    ['const = 1', /^SyntaxError: .+\n {4}at line 1:7$/],
    ['throw "text"', /^Uncaught text$/],
    ['await import("node:fs")', /use require\(\)/],
  ])('reports the error of %s', async (code, error) => {
    const outcome = await run(code)

    expect(outcome).toMatchObject({ success: true, exitCode: 1, killed: false, error: expect.stringMatching(error) })
  })

  test('that writes many lines has all of their output, and the next call has none of it', async () => {
    const { id } = await lab.createSession()
    const lines = { code: `for (let line = 0; line < 600_000; line += 1) process.stdout.write('a\\n')` }
    const flood = (await post(lines, id)).body
    const next = (await post({ code: 'console.log("next")' }, id)).body

    expect(flood).toMatchObject({ exitCode: 0, killed: false, truncated: true })
    expect(String(flood['stdout'])).toHaveLength(1_000_000)
    expect(next).toMatchObject({ exitCode: 0, stdout: 'next\n' })
    await lab.api('DELETE', `/v2/browser/${id}`)
  })

  test('that exits ends its process, and the next call starts another one', async () => {
    await run('const kept = 1')
    const exited = await run('console.log("bye"); process.exit(3)')
    const next = await run('typeof kept')

    expect(exited).toMatchObject({
      stdout: 'bye\n',
      exitCode: 3,
      killed: false,
      error: expect.stringContaining('starts a new'),
    })
    expect(next.result).toBe('undefined')
  })

  test.each([
    ['"text"', 'text'],
    ['({ a: [1, null] })', '{"a":[1,null]}'],
    ['10n', '10n'],
    ['new Map([[1, 2]])', 'Map(1) { 1 => 2 }'],
    ['console.log("only printed")', 'only printed\n'],
  ])('has the result of %s', async (code, result) => {
    expect((await run(code)).result).toBe(result)
  })
})

describe('code of bash', () => {
  test('keeps variables, functions and the folder, and reports the status of its last command', async () => {
    const first = await run('value=1; greet() { echo "hello $1"; }; mkdir -p made; cd made', { language: 'bash' })
    const second = await run('greet "$value"; basename "$PWD"; echo warned >&2; (exit 4)', { language: 'bash' })

    expect(first).toEqual({ success: true, stdout: '', stderr: '', result: '', exitCode: 0, killed: false })
    const stdout = 'hello 1\nmade\n'
    expect(second).toMatchObject({ stdout, result: stdout, stderr: 'warned\n', exitCode: 4, error: 'warned' })
  })
})

describe('code of Python', () => {
  test('keeps its bindings, awaits at the top level, and has the value of its last expression', async () => {
    const python = { language: 'python' }
    const first = await run('import asyncio\nawait asyncio.sleep(0)\nvalues = {"a": [1, None]}\nvalues', python)
    const second = await run('print("printed")\nvalues["a"][0]', python)
    const failed = await run('def fail():\n  raise ValueError("wrong")\nfail()', python)
    const page = await run('await page.title()', python)

    expect(first).toMatchObject({ result: '{"a": [1, null]}', exitCode: 0 })
    expect(second).toMatchObject({ stdout: 'printed\n', result: '1' })
    expect(failed).toMatchObject({ exitCode: 1, error: expect.stringMatching(/in fail[^]*ValueError: wrong$/) })
    expect(page.error).toMatch(/page needs Playwright, which is not installed for Python/)
  })
})

test('at most eight calls of a language wait for the one that runs', async () => {
  const busy = await lab.createSession()
  const untilReleased = `const { existsSync } = require('node:fs')
    while (!existsSync('released')) await new Promise((resolve) => setTimeout(resolve, 20))`
  const running = post({ code: untilReleased }, busy.id)
  await expect.poll(async () => (await post({ code: 'echo 1', language: 'bash' }, busy.id)).status).toBe(200)

  let refusals = 0
  const calls = Array.from({ length: 10 }, async () => {
    const answer = await post({ code: '1' }, busy.id)
    if (answer.status === 409) refusals += 1
    return answer
  })
  await expect.poll(() => refusals).toBe(2)
  await post({ code: 'touch released', language: 'bash' }, busy.id)
  const answers = await Promise.all(calls)
  await running
  await lab.api('DELETE', `/v2/browser/${busy.id}`)

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(8)
  expect(answers.find(({ status }) => status === 409)?.body['code']).toBe('EXECUTION_BUSY')
})

test('languages share the files of the session', async () => {
  await run('require("fs").writeFileSync("shared.txt", "shared")')

  expect((await run('cat ~/shared.txt', { language: 'bash' })).stdout).toBe('shared')
})

test.each([
  [{ code: '' }, 400],
  [{ code: 'x'.repeat(100_001) }, 400],
  [{ code: '1', timeout: 301 }, 400],
  [{ code: '1', language: 'ruby' }, 400],
  [{ code: 'echo \0', language: 'bash' }, 400],
])('a request %j is refused', async (body, status) => {
  expect((await post(body)).status).toBe(status)
})

test('code of unknown and ended sessions is refused, also below /v2/interact', async () => {
  const { id } = await lab.createSession()
  await lab.api('DELETE', `/v2/browser/${id}`)
  const ended = await lab.api('POST', `/v2/interact/${id}/execute`, { code: '1' })
  const unknown = await post({ code: '1' }, '0191e0a2-0000-7000-8000-000000000000')

  expect([ended.status, unknown.status]).toEqual([410, 404])
})
