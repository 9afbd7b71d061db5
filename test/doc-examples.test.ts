import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { wasmCompilerFlags } from '../server/src/cli/limit-wasm-compiler.ts'
import { isProgram, readDocExamples } from './lab/doc-examples.ts'
import { browserPaths } from './lab/browser-paths.ts'
import {
  guideModule,
  isTestOrSetup,
  readGuideBlocks,
  readGuideCommands,
  readGuidePrograms,
  type GuideBlock,
} from './lab/guides.ts'
import { startLab } from './lab/lab.ts'
import { startModel } from './lab/language-model.ts'
import { matchesOutput } from './lab/matches-output.ts'
import type { Pages } from './lab/pages/page.ts'
import { sharedPostgres } from './lab/shared-postgres.ts'
import { startSite } from './lab/site.ts'
import { repository } from './lab/source-tree.ts'

const run = promisify(execFile)
const examples = readDocExamples()
const guides = readGuideBlocks()

/** In milliseconds: the examples start about 60 sessions. */
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
 * Imports all programs in one process, a few at a time, those of a group one after the other. An
 * excerpt is called with what the rest of its guide defines. Prints their output and the failed
 * ones.
 */
const runner = `
import { format } from 'node:util'
import { chromium } from 'playwright-core'
import { Bowline } from 'bowline'
import { playwright } from 'bowline/playwright'
import { puppeteer } from 'bowline/puppeteer'
const failures = {}
const output = {}
globalThis.print = (file, ...words) => {
  output[file] = (output[file] ?? '') + format(...words) + '\\n'
}
globalThis.fail = (text) => {
  throw new Error(text)
}
const { log } = console
console.log = () => undefined
await using bowline = new Bowline()
await using session = await bowline.sessions.create({ ttl: 300 })
const given = { bowline, session, playwright, puppeteer, chromium, signIn: async (page) => page.title() }

// A human who opens the link and does what the hand-off asks for.
await using browser = await chromium.launch({ executablePath: process.env.BROWSER, args: ['--no-sandbox'] })
given.notify = async (text) => {
  const page = await browser.newPage()
  await page.goto(text.slice(text.indexOf('http')))
  page.getByRole('button', { name: 'Done' }).click().catch((error) => (failures.human = String(error)))
}

const queue = JSON.parse(process.argv[2]).values()
const runFile = async (file) => (await import('./' + file)).excerpt?.(given)
const work = async () => {
  for (const group of queue) {
    for (const file of group) await runFile(file).catch((error) => (failures[file] = String(error?.stack ?? error)))
  }
}
await Promise.all([work(), work(), work()])
log(JSON.stringify({ failures, output }))
`

/** A page with the title and the text that https://example.com has. */
const examplePage = '<title>Example Domain</title><h1>Example Domain</h1><p>This domain is for use in documents.</p>'

const boat = {
  '@context': 'https://schema.org',
  '@type': 'Product',
  name: 'Dinghy',
  offers: { '@type': 'Offer', price: '950.00', priceCurrency: 'EUR' },
}

/** The shop of the guides. */
const shopPages: Pages = {
  '/': ({ response }) => html(response, '<a class="product" href="/products/1">Dinghy</a>'),
  '/products/1': ({ response }) => html(response, '<h1>Dinghy</h1><p class="price">950 EUR</p>'),
  '/boats/7': ({ response }) => html(response, `<script type="application/ld+json">${JSON.stringify(boat)}</script>`),
  '/login': ({ response }) => html(response, '<label>Password <input type="password"></label>'),
}

function html(response: ServerResponse, body: string): void {
  response.setHeader('content-type', 'text/html').end(body)
}

function hasPython(): boolean {
  return spawnSync('python3', ['--version']).status === 0
}

/** Groups the blocks of each guide, which run in order. */
function byGuide(blocks: readonly GuideBlock[]): readonly (readonly string[])[] {
  const groups = Object.groupBy(blocks, ({ source }) => source.split(':')[0] ?? '')
  return Object.values(groups).map((group = []) => group.map(({ fileName }) => fileName))
}

test(
  'the examples in doc comments, and the programs and commands of the guides, run and print what the guides show',
  { timeout },
  async () => {
    await using site = await startSite()
    await using example = await startSite({
      '/': ({ response }) => html(response, examplePage),
    })
    await using shop = await startSite(shopPages)
    await using model = await startModel(({ tools }) =>
      JSON.stringify(tools === undefined ? { heading: 'Example Domain' } : { boats: ['Dinghy'] }),
    )
    await using lab = await startLab({ llmUrl: model.url, llmModel: 'small' })
    await using databases = new AsyncDisposableStack()
    const postgres = await sharedPostgres()
    const adapt = async (program: string): Promise<string> => {
      const local = program
        .replaceAll(/https:\/\/example\.com\/?/g, site.url('/'))
        // No human responds in this test.
        .replace(/(?<=instructions: '[^']*',\s+timeoutMs: )[\d_]+/, '1')
      if (!/startServer\(|\.embedded\(/.test(program)) return local
      // Their servers start in a quarter of the time on a database of the shared PostgreSQL.
      const { url } = databases.use(await postgres.createDatabase())
      expect(local).toMatch(ownOptions)
      const withWarm = /\bwarm: /.test(local) ? local : local.replace(ownOptions, 'warm: 0, $&')
      return withWarm.replace(/warm: 1/, 'warm: 0').replace(ownOptions, `databaseUrl: '${url}', $&`)
    }
    const adaptGuide = (block: GuideBlock): string =>
      guideModule(block)
        .replaceAll('https://example.com', example.url(''))
        .replaceAll(/https:\/\/\w+\.example(?:\.com)?(?=\/)/g, shop.url(''))
        .replaceAll(/(?<=')example\.com(?=')|proxy\.example/g, '127.0.0.1')
        .replaceAll('console.log(', `print('${block.fileName}', `)
        .replaceAll('console.error(', 'fail(')
    const blocks = guides.filter((block) => !isTestOrSetup(block))
    const adapted = examples
      .filter(isProgram)
      .map(async ({ fileName, program }) => [fileName, await adapt(program)] as const)
    await using written = await writePrograms({
      ...Object.fromEntries(await Promise.all(adapted)),
      ...Object.fromEntries(blocks.map((block) => [block.fileName, adaptGuide(block)])),
      'runner.js': runner,
    })
    // The template of an empty store, which takes seconds to create.
    await symlink(join(homedir(), '.cache'), join(written.folder, '.cache'))

    const { server } = lab
    const secret = { value: 'secret', origins: [shop.url('')] }
    expect(await lab.api('PUT', '/v2/secrets/SHOP_PASSWORD', secret)).toMatchObject({ status: 200 })
    const access = { BOWLINE_BASE_URL: server.url, BOWLINE_API_KEY: server.apiKey, BROWSER: browserPaths.shell }
    const env = { ...process.env, HOME: written.folder, ...access }
    const files = [...examples.filter(isProgram).map(({ fileName }) => [fileName]), ...byGuide(blocks)]
    const args = [...wasmCompilerFlags, '--no-warnings', 'runner.js', JSON.stringify(files)]
    const { stdout } = await run(process.execPath, args, { cwd: written.folder, env })

    const { failures, output } = JSON.parse(stdout) as Record<'failures' | 'output', Readonly<Record<string, string>>>
    expect(failures).toEqual({})
    for (const { fileName, source, code, output: shown } of blocks) {
      const printed = output[fileName]?.replaceAll(example.url(''), 'https://example.com')
      // The output of an excerpt is part of that of a program.
      if (shown === undefined && !code.includes('new Bowline(')) continue
      expect(shown, `${source} has no block with its output`).toBeDefined()
      expect(printed, source).toMatch(matchesOutput(shown ?? ''))
    }
    for (const { source, script, output: shown } of readGuideCommands()) {
      const local = `bowline() { "$NODE" "$CLI" "$@"; }\n${script.replaceAll('https://example.com', example.url(''))}`
      const cli = { NODE: process.execPath, CLI: join(repository, 'src/cli/main.ts') }
      const printed = await run('bash', ['-c', `exec 2>&1\n${local}`], { cwd: written.folder, env: { ...env, ...cli } })
      expect(printed.stdout, source).toMatch(matchesOutput(shown))
    }
    const programs = hasPython() ? readGuidePrograms() : []
    for (const { source, script, output: shown } of programs) {
      const local = script.replaceAll('https://example.com', example.url(''))
      const printed = await run('python3', ['-c', local], { cwd: written.folder, env })
      expect(printed.stdout, source).toMatch(matchesOutput(shown))
    }
    expect(JSON.parse(await readFile(join(written.folder, 'products.jsonl'), 'utf8'))).toMatchObject({ name: 'Dinghy' })
  },
)
