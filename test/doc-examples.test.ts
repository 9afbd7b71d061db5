import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { wasmCompilerFlags } from '../server/src/cli/limit-wasm-compiler.ts'
import { isProgram, readDocExamples, type DocExample } from './lab/doc-examples.ts'
import { startLab } from './lab/lab.ts'
import { startModel } from './lab/language-model.ts'
import { sharedPostgres } from './lab/shared-postgres.ts'
import { startSite } from './lab/site.ts'
import { repository } from './lab/source-tree.ts'

const run = promisify(execFile)
const examples = readDocExamples()

/** In milliseconds: the examples start about 30 sessions. */
const timeout = 180_000

/** The first option that an example passes to its own server. */
const ownOptions = /\b(?:port|allow|warm): /

/** Writes the examples to a folder where `bowline` and `bowline-server` are their sources. */
async function writeExamples(written: readonly DocExample[], adapt: (program: string) => Promise<string>) {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'bowline-doc-examples-'))
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const write = async ({ fileName, program }: DocExample) => writeFile(join(folder, fileName), await adapt(program))
  await Promise.all(written.map(write))
  const owned = undo.move()
  return { folder, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Imports all examples in one process, a few at a time, and prints the failed ones. */
const runner = `
const failures = {}
const queue = process.argv.slice(2).values()
const work = async () => {
  for (const file of queue) await import('./' + file).catch((error) => (failures[file] = String(error?.stack ?? error)))
}
const { log } = console
console.log = () => undefined
await Promise.all([work(), work(), work()])
log(JSON.stringify(failures))
`

test('the examples in doc comments run', { timeout }, async () => {
  await using site = await startSite()
  await using model = await startModel(() => JSON.stringify({ heading: 'Plain' }))
  await using lab = await startLab({ llmUrl: model.url, llmModel: 'small' })
  const programs = examples.filter(isProgram)
  await using databases = new AsyncDisposableStack()
  const postgres = await sharedPostgres()
  await using written = await writeExamples(programs, async (program) => {
    const local = program
      .replaceAll(/https:\/\/example\.com\/?/g, site.url('/'))
      // No human responds in this test.
      .replace(/(?<=instructions: '[^']*', timeoutMs: )[\d_]+/, '1')
    if (!/startServer\(|\.embedded\(/.test(program)) return local
    // Their servers start in a quarter of the time on a database of the shared PostgreSQL.
    const { url } = databases.use(await postgres.createDatabase())
    expect(local).toMatch(ownOptions)
    return local.replace(/warm: 1/, 'warm: 0').replace(ownOptions, `databaseUrl: '${url}', $&`)
  })
  await writeFile(join(written.folder, 'runner.js'), runner)
  // The template of an empty store, which takes seconds to create.
  await symlink(join(homedir(), '.cache'), join(written.folder, '.cache'))

  const { server } = lab
  const env = { ...process.env, HOME: written.folder, BOWLINE_BASE_URL: server.url, BOWLINE_API_KEY: server.apiKey }
  const files = programs.map(({ fileName }) => fileName)
  const args = [...wasmCompilerFlags, '--no-warnings', 'runner.js', ...files]
  const { stdout } = await run(process.execPath, args, { cwd: written.folder, env })

  expect(JSON.parse(stdout)).toEqual({})
})
