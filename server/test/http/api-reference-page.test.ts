import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { chromium, type Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { apiReferenceOptions, apiReferenceScript } from '../../src/http/api-reference-page.ts'
import type { CodeSample } from '../../src/http/code-samples.ts'
import { exampleOfPath } from '../../src/http/openapi-samples.ts'

const run = promisify(execFile)

interface DescribedOperation {
  readonly operationId: string
  readonly 'x-codeSamples': readonly CodeSample[]
}

/** Commands that run the samples of a language. */
const interpreters: Readonly<Record<string, readonly string[]>> = {
  curl: ['sh', '-c'],
  TypeScript: [process.execPath, '--input-type=module-typescript', '--no-warnings', '-e'],
  Python: ['python3', '-c'],
}

describe('samples of the OpenAPI document', () => {
  let lab: Lab
  let site: Site
  let operations: readonly DescribedOperation[]
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    ;[lab, site] = [opened.use(await startLab()), opened.use(await startSite())]
    const { body } = await lab.api('GET', '/openapi.json', undefined, {})
    const paths = body['paths'] as Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
    operations = Object.values(paths).flatMap((path) => Object.values(path))
  })
  afterAll(async () => opened.disposeAsync())

  const samplesOf = (id: string): readonly CodeSample[] =>
    operations.find(({ operationId }) => operationId === id)?.['x-codeSamples'] ?? []

  /** Runs the sample of each language, and returns what they have printed. */
  async function runSamples(id: string, adapt: (source: string, language: string) => string): Promise<string[]> {
    const env = { ...process.env, BOWLINE_API_KEY: lab.server.apiKey }
    const printed = samplesOf(id).map(async ({ label, source }) => {
      const [command = '', ...args] = interpreters[label] ?? []
      const { stdout } = await run(command, [...args, adapt(source, label)], { env, cwd: lab.dataDir })
      return stdout
    })
    return Promise.all(printed)
  }

  test('exist for each operation in each language, with placeholders for the key and ids', () => {
    for (const { operationId, 'x-codeSamples': samples } of operations) {
      expect(
        samples.map(({ label }) => label),
        operationId,
      ).toEqual(Object.keys(interpreters))
      for (const { source } of samples) {
        expect(source, operationId).toMatch(/(?:\$|process\.env\.|os\.environ\[")BOWLINE_API_KEY/)
        expect(source, operationId).not.toMatch(/undefined|https?:[^"'\s]*\{/)
      }
    }
  })

  test('run for a GET with a query, a POST with a body and a DELETE of an id', async () => {
    const sessions = await Promise.all(Object.keys(interpreters).map(async () => lab.createSession()))
    const ids = sessions.map(({ id }) => id)

    const listed = await runSamples('listSessions', (source) => source)
    const scraped = await runSamples('scrape', (source) => source.replaceAll('https://example.com', site.url('/')))
    const deleted = await runSamples('deleteSession', (source, language) =>
      source.replace('SESSION_ID', ids[Object.keys(interpreters).indexOf(language)] ?? ''),
    )

    for (const id of ids) expect(listed).toEqual(Array(3).fill(expect.stringContaining(id)))
    expect(scraped).toEqual(Array(3).fill(expect.stringContaining('markdown')))
    expect(deleted).toEqual(Array(3).fill(expect.stringContaining('creditsBilled')))
    const { body } = await lab.api('GET', '/v2/browser?status=active')
    expect(body['sessions']).toEqual([])
  })

  test('run for an upload, a download and a form', async () => {
    const { id } = await lab.createSession()
    await writeFile(join(lab.dataDir, 'tides.csv'), 'high,low\n')
    await writeFile(join(lab.dataDir, 'report.html'), '<title>Tides</title><h1>Tides</h1>')
    const fill = (source: string, language: string): string =>
      source
        .replaceAll('SESSION_ID', id)
        .replaceAll('report.pdf', 'report.html')
        .replace('/FILE_NAME', '/tides.csv')
        .replace('FILE_NAME', `${language}.csv`)

    const uploaded = await runSamples('uploadFile', fill)
    await runSamples('downloadFile', fill)
    const parsed = await runSamples('parse', fill)

    expect(uploaded).toEqual(Array(3).fill(expect.stringContaining('tides.csv')))
    expect(parsed).toEqual(Array(3).fill(expect.stringContaining('# Tides')))
    for (const language of Object.keys(interpreters)) {
      expect(await readFile(join(lab.dataDir, `${language}.csv`), 'utf8')).toBe('high,low\n')
    }
  })

  test('are shown by /docs, also of a sent request, where its key is a placeholder', async () => {
    await using browser = await chromium.launch({ executablePath: browserPaths.shell, args: ['--no-sandbox'] })
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
    await page.addInitScript(`sessionStorage.setItem('bowline.key', ${JSON.stringify(lab.server.apiKey)})`)
    const shown = async (snippets: Locator): Promise<Readonly<Record<string, string | null>>> => {
      const samples: Record<string, string | null> = {}
      for (const language of Object.keys(interpreters)) {
        await snippets.getByRole('heading', { name: language }).click()
        samples[language] = await snippets.locator('pre').textContent()
      }
      return samples
    }

    await page.goto(`${lab.server.url}/docs#/Team/concurrencyCheck`)
    const operation = page.locator('#operations-Team-concurrencyCheck')
    const described = await shown(operation.locator('.request-snippets'))
    await operation.getByRole('button', { name: 'Execute' }).click()
    await operation.locator('.live-responses-table').getByText('200').waitFor()
    const sent = await shown(operation.locator('.responses-wrapper .request-snippets'))

    expect(described).toEqual(
      Object.fromEntries(samplesOf('concurrencyCheck').map(({ label, source }) => [label, source])),
    )
    expect(sent).toEqual(described)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(
      await page.evaluate(`[...document.querySelectorAll('.request-snippets pre')]
        .map(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)`),
    ).toEqual([true, true])
    expect(await page.locator('.topbar').innerText()).toBe('Bowline dashboard')
    expect(problems).toEqual([])
  })
})

test('ids of samples are named after what they identify', () => {
  expect(exampleOfPath('/v2/browser/{id}/handoff/{handoffId}')).toBe('/v2/browser/SESSION_ID/handoff/HANDOFF_ID')
  expect(exampleOfPath('/v1/batch/scrape/{id}/errors')).toBe('/v1/batch/scrape/BATCH_ID/errors')
  expect(exampleOfPath('/v2/team/webhooks/deliveries/{id}')).toBe('/v2/team/webhooks/deliveries/DELIVERY_ID')
})

describe('samples of sent requests', () => {
  type Generator = (request: ReadonlyMap<string, unknown>) => string

  /** The generator of a language as it is on the page: evaluated from its source. */
  function generatorOnPage(language: string): Generator {
    const [plugin] = apiReferenceOptions.plugins
    const { fn } = runInNewContext(`${apiReferenceScript}; (${plugin.toString()})({})`, { File }) as {
      readonly fn: Readonly<Record<string, Generator>>
    }
    return fn[`requestSnippetGenerator_${language}`]!
  }

  const request = (body: unknown, type = 'application/json') =>
    new Map<string, unknown>([
      ['url', 'https://bowline.example/v2/scrape'],
      ['method', 'POST'],
      [
        'headers',
        new Map([
          ['accept', '*/*'],
          ['Authorization', 'Bearer bl-key'],
          ['Content-Type', type],
        ]),
      ],
      ['body', body],
    ])
  const json = `{\n  "url": "https://example.com/?q=\\"night boats\\"", "mobile": true, "name": "Ann's", "ttl": null\n}`

  test('curl quotes the body for a shell', async () => {
    const sample = generatorOnPage('curl')(request(json)).replace('curl', `printf '%s|'`)

    const { stdout } = await run('sh', ['-c', sample], { env: { BOWLINE_API_KEY: 'bl-other' } })

    expect(stdout.split('|')).toEqual([
      '-X',
      'POST',
      'https://bowline.example/v2/scrape',
      '-H',
      'Authorization: Bearer bl-other',
      '-H',
      'Content-Type: application/json',
      '-d',
      json,
      '',
    ])
  })

  test('Python has literals of its own', () => {
    const sample = generatorOnPage('python')(request(json))

    expect(sample).toContain(String.raw`"url": "https://example.com/?q=\"night boats\"",`)
    expect(sample).toContain('"mobile": True,')
    expect(sample).toContain('"ttl": None,')
  })

  test('files are named', () => {
    const file = new File(['%PDF'], 'tides.pdf')
    const upload = generatorOnPage('curl')(request(file, 'application/octet-stream'))
    const form = generatorOnPage('curl')(request(new Map<string, unknown>([['file', file]]), 'multipart/form-data'))

    expect(upload).toContain(`--data-binary '@tides.pdf'`)
    expect(form).toContain(`-F 'file=@tides.pdf'`)
    expect(form).not.toContain('Content-Type')
  })
})
