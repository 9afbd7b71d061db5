import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { apiReferenceOptions } from '../../src/http/api-reference-page.ts'

type Generators = Readonly<Record<string, (request: unknown) => string>>

/** The generators as they are on the page: evaluated from their source, apart from their module. */
function generatorsOnPage(): Generators {
  const [plugin] = apiReferenceOptions.plugins
  return (runInNewContext(`(${plugin.toString()})`) as () => { readonly fn: Generators })().fn
}

const request = new Map<string, unknown>([
  ['url', 'https://bowline.example/v2/scrape'],
  ['method', 'POST'],
  ['headers', new Map([['Authorization', 'Bearer bl-key']])],
  ['body', '{\n  "url": "https://example.com/?q=\\"night boats\\""\n}'],
])

test('/docs shows requests in TypeScript', () => {
  const program = generatorsOnPage()['requestSnippetGenerator_typescript']?.(request) ?? ''
  const sent: unknown[] = []
  const fetch = (...args: readonly unknown[]) => sent.push(args)
  const call = program.replace('const response = await ', '').split('\nconsole.log')[0] ?? ''

  runInNewContext(call, { fetch })

  expect(sent).toEqual([
    [
      'https://bowline.example/v2/scrape',
      {
        method: 'POST',
        headers: { Authorization: 'Bearer bl-key' },
        body: '{"url":"https://example.com/?q=\\"night boats\\""}',
      },
    ],
  ])
})

test('/docs shows requests in Python', () => {
  const program = generatorsOnPage()['requestSnippetGenerator_python']?.(request)

  expect(program).toContain('  method="POST",\n')
  expect(program).toContain(String.raw`  data="{\"url\":\"https://example.com/?q=\\\"night boats\\\"\"}".encode(),`)
})
