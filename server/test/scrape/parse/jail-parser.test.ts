import { execFile } from 'node:child_process'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { findJail } from '../../../src/browsers/jail.ts'
import { jailParser } from '../../../src/scrape/parse/pdf/jail-parser.ts'
import { parsePdf } from '../../../src/scrape/parse/pdf/parse-pdf.ts'
import { makePdf } from './make-pdf.ts'

const found = await findJail()
const jail = found && { ...found, hasOwnNetwork: false }

/** Reports what a program that took over the parser could do. */
const attack = `
const { readFileSync, writeFileSync, readdirSync } = require('node:fs')
const attempts = {
  passwd: () => readFileSync('/etc/passwd'),
  secret: () => readFileSync(process.argv[2]),
  processes: () => { if (readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length > 2) return true; throw 0 },
  write: () => writeFileSync(__dirname + '/written', 'x'),
  temporary: () => writeFileSync('/written', 'x'),
}
const done = Object.keys(attempts).filter((name) => { try { attempts[name](); return true } catch { return false } })
fetch(process.argv[3]).then(() => done.push('network'), () => {}).then(() => console.log(JSON.stringify(done)))
`

describe.skipIf(jail === undefined)('the jail of the parser', () => {
  test('has no files of the server, no network and nothing to write to', async () => {
    if (jail === undefined) throw new Error('bubblewrap is missing')
    await using program = await mkdtempDisposable(join(tmpdir(), 'bowline-parser-'))
    await using data = await mkdtempDisposable(join(tmpdir(), 'bowline-data-'))
    const [script, secret] = [join(program.path, 'attack.cjs'), join(data.path, 'secret')]
    await Promise.all([writeFile(script, attack), writeFile(secret, 'secret')])
    const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const run = promisify(execFile)

    const inside = await run(jail.path, [...jailParser(jail, [secret, url], { script, folders: [] })], { env: {} })
    const outside = await run(process.execPath, [script, secret, url], { env: {} })
    server.close()

    expect(JSON.parse(inside.stdout)).toEqual([])
    expect(JSON.parse(outside.stdout)).toEqual(expect.arrayContaining(['secret', 'processes', 'write', 'network']))
  })

  test('lets the parser read PDFs', async () => {
    const lines = [
      'The quick brown fox jumps over the lazy dog.',
      'A second line, as plain as the first.',
      'And a third.',
    ]
    const body = lines.map((text) => ({ size: 11, text }))
    const content = await parsePdf(makePdf([[{ size: 28, text: 'Annual report' }, ...body]]), { jail })
    // Only the native parser finds headings.
    expect(content.markdown).toMatch(/^#+ Annual report/)
  })
})
