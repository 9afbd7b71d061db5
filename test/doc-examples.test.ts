import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { wasmCompilerFlags } from '../server/src/cli/limit-wasm-compiler.ts'
import { isProgram, readDocExamples } from './lab/doc-examples.ts'
import { isCompleteProgram, readGuideBlocks } from './lab/guides.ts'
import { startLab } from './lab/lab.ts'
import { startModel } from './lab/language-model.ts'
import { sharedPostgres } from './lab/shared-postgres.ts'
import { startSite } from './lab/site.ts'
import { repository } from './lab/source-tree.ts'

const run = promisify(execFile)
const examples = readDocExamples()
const guides = readGuideBlocks()

/** In milliseconds: the examples start about 30 sessions. */
const timeout = 180_000

/** The first option that an example passes to its own server. */
const ownOptions = /\b(?:port|allow|warm): /

/** Writes programs to a folder where `bowline` and `bowline-server` are their sources. */
async function writePrograms(programs: Readonly<Record<string, string>>) {
  await using undo = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'bowline-doc-examples-'))
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await Promise.all(Object.entries(programs).map(([name, text]) => writeFile(join(folder, name), text)))
  const owned = undo.move()
  return { folder, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/**
 * Imports all programs in one process, a few at a time. Prints their output and the failed ones.
 */
const runner = `
import { format } from 'node:util'
const failures = {}
const output = {}
globalThis.print = (file, ...words) => {
  output[file] = (output[file] ?? '') + format(...words) + '\\n'
}
const queue = process.argv.slice(2).values()
const work = async () => {
  for (const file of queue) await import('./' + file).catch((error) => (failures[file] = String(error?.stack ?? error)))
}
const { log } = console
console.log = () => undefined
await Promise.all([work(), work(), work()])
log(JSON.stringify({ failures, output }))
`

/** A page with the title and the text that https://example.com has. */
const examplePage = '<title>Example Domain</title><h1>Example Domain</h1><p>This domain is for use in documents.</p>'

function matchesOutput(expected: string): RegExp {
  const literal = expected
    .trim()
    .split('…')
    .map((part) => part.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^\\s*${literal.join('[^]*')}\\s*$`)
}

test(
  'the examples in doc comments and the programs of the guides run and print what the guides show',
  { timeout },
  async () => {
    await using site = await startSite()
    await using example = await startSite({
      '/': ({ response }) => void response.setHeader('content-type', 'text/html').end(examplePage),
    })
    await using model = await startModel(() => JSON.stringify({ heading: 'Example Domain' }))
    await using lab = await startLab({ llmUrl: model.url, llmModel: 'small' })
    await using databases = new AsyncDisposableStack()
    const postgres = await sharedPostgres()
    const adapt = async (program: string): Promise<string> => {
      const local = program
        .replaceAll(/https:\/\/example\.com\/?/g, site.url('/'))
        // No human responds in this test.
        .replace(/(?<=instructions: '[^']*', timeoutMs: )[\d_]+/, '1')
      if (!/startServer\(|\.embedded\(/.test(program)) return local
      // Their servers start in a quarter of the time on a database of the shared PostgreSQL.
      const { url } = databases.use(await postgres.createDatabase())
      expect(local).toMatch(ownOptions)
      return local.replace(/warm: 1/, 'warm: 0').replace(ownOptions, `databaseUrl: '${url}', $&`)
    }
    const adaptGuide = (fileName: string, code: string): string =>
      code
        .replaceAll('https://example.com', example.url(''))
        .replaceAll(/(?<=')example\.com(?=')/g, '127.0.0.1')
        .replaceAll('console.log(', `print('${fileName}', `)
    const programs = guides.filter(isCompleteProgram)
    const adapted = examples
      .filter(isProgram)
      .map(async ({ fileName, program }) => [fileName, await adapt(program)] as const)
    await using written = await writePrograms({
      ...Object.fromEntries(await Promise.all(adapted)),
      ...Object.fromEntries(programs.map(({ fileName, code }) => [fileName, adaptGuide(fileName, code)])),
      'runner.js': runner,
    })
    // The template of an empty store, which takes seconds to create.
    await symlink(join(homedir(), '.cache'), join(written.folder, '.cache'))

    const { server } = lab
    const env = { ...process.env, HOME: written.folder, BOWLINE_BASE_URL: server.url, BOWLINE_API_KEY: server.apiKey }
    const files = [...examples.filter(isProgram), ...programs].map(({ fileName }) => fileName)
    const args = [...wasmCompilerFlags, '--no-warnings', 'runner.js', ...files]
    const { stdout } = await run(process.execPath, args, { cwd: written.folder, env })

    const { failures, output } = JSON.parse(stdout) as Record<'failures' | 'output', Readonly<Record<string, string>>>
    expect(failures).toEqual({})
    for (const { fileName, source, output: shown } of programs) {
      const printed = output[fileName]?.replaceAll(example.url(''), 'https://example.com')
      expect(shown, `${source} has no block with its output`).toBeDefined()
      expect(printed, source).toMatch(matchesOutput(shown ?? ''))
    }
  },
)
