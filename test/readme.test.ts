import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { catalogue } from '../src/kit/catalogue.ts'
import { settingNames, settings } from '../server/src/config.ts'
import { repository } from './lab/source-tree.ts'

function readText(path: string): string {
  return readFileSync(join(repository, path), 'utf8')
}
const readme = readText('README.md')

function tableRows(heading: string): readonly (readonly string[])[] {
  const section = readme.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  return rows.slice(2).map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function withoutComments(source: string): string {
  return source.replaceAll(/^\/\/.*\n/gm, '').trim()
}

test('the first program of the README is the first example', () => {
  const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  const example = withoutComments(readText('examples/01-first-session.ts'))
    .replace(/^const url = .*\n/m, '')
    .replace('goto(url)', `goto('https://example.com')`)

  expect(program.trim()).toBe(example)
})

test('the README lists every setting of the server with its flag, variable and meaning', () => {
  const rows = tableRows('Configuration').map((row) => row.slice(0, 3))

  expect(rows).toEqual(
    settingNames.map((name) => [`\`--${settings[name].flag}\``, `\`${settings[name].env}\``, settings[name].help]),
  )
})

test('the README lists the defaults of the server', () => {
  const shown = Object.fromEntries(tableRows('Configuration').map((row) => [row[0], row[3]]))

  expect(shown).toMatchObject({
    '`--host`': `\`${settings.host.schema.parse(undefined)}\``,
    '`--port`': `\`${settings.port.schema.parse(undefined)}\``,
    '`--warm`': `\`${settings.warm.schema.parse(undefined)}\``,
    '`--log-level`': `\`${settings.logLevel.schema.parse(undefined)}\``,
  })
})

test('the README lists each error with the status of the catalogue', () => {
  const statuses = tableRows('Errors').map(([code = '', status]) => [code.replaceAll('`', ''), status])

  expect(statuses.length).toBeGreaterThan(10)
  for (const [code = '', status] of statuses) {
    const entry = Object.entries(catalogue).find(([name]) => name === code)?.[1]
    expect([code, entry?.status === 0 ? '–' : String(entry?.status)]).toEqual([code, status])
  }
})
