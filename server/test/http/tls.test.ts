import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { once } from 'node:events'
import { connect as connectTcp, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { readCertificate } from '../../src/http/certificate.ts'
import { renewCertificate } from '../../src/http/https.ts'
import { refuseMalformed } from '../../src/http/refuse-malformed.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { startSite } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { textOf } from '../../../test/mcp/answers.ts'
import { RawMcp } from '../../../test/mcp/raw-mcp.ts'

const run = promisify(execFile)

/** Writes a certificate for `localhost`, signed by its own key. Returns the paths of both. */
async function writeCertificate(folder: string, name: string, subject = name) {
  const paths = { tlsCert: join(folder, `${name}.crt`), tlsKey: join(folder, `${name}.key`) }
  const keyArgs = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', paths.tlsKey]
  const certArgs = ['-subj', `/CN=${subject}`, '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
  await run('openssl', ['req', '-x509', ...keyArgs, ...certArgs, '-out', paths.tlsCert])
  return paths
}

test('a server with a certificate is reached by HTTPS and WSS, and by HTTP on its own machine', async () => {
  await using folder = await temporaryFolder()
  const paths = await writeCertificate(folder.path, 'server')
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, await readFile(paths.tlsCert, 'utf8')])
  await using undo = new AsyncDisposableStack()
  undo.defer(() => setDefaultCACertificates(before))
  await using site = await startSite()
  await using lab = await startLab({ ...paths, host: 'localhost' })
  const url = lab.server.url.replace(/(?<=:\/\/)[^:]+/, 'localhost')
  const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'content-type': 'application/json' }

  const created = await fetch(`${url}/v2/browser`, { method: 'POST', headers, body: '{"ttl":60}' })
  const session = (await created.json()) as Record<string, string>
  const browser = await chromium.connectOverCDP(session['cdpUrl'] ?? '')
  const page = await browser.contexts()[0]!.newPage()
  await page.goto(site.url('/title?text=Moored'))
  const title = await page.title()
  await browser.close()
  const local = JSON.parse(await readFile(join(lab.dataDir, 'server.json'), 'utf8')).url as string
  const listed = await fetch(`${local}/v2/browser?status=active`, { headers })
  const mcp = new RawMcp(new URL('/mcp', url), lab.server.apiKey)
  await mcp.initialize()
  const snapshot = textOf(await mcp.call('browser_navigate', { url: site.url('/form') }))
  await mcp.end()

  expect(lab.server.url).toMatch(/^https:/)
  expect(session['cdpUrl']).toMatch(/^wss:\/\/localhost:/)
  expect(session['liveViewUrl']).toMatch(/^https:\/\/localhost:/)
  expect(title).toBe('Moored')
  expect(local).toMatch(/^http:\/\/127\.0\.0\.1:/)
  expect(await listed.json()).toMatchObject({ sessions: [{ id: session['id'] }] })
  expect(snapshot).toContain(`Live view: ${url}/live/`)
})

test('a certificate is replaced as its files change, unless the new one cannot be used', async () => {
  await using folder = await temporaryFolder()
  const paths = await writeCertificate(folder.path, 'current', 'first')
  const current = await readCertificate(paths)
  const server = createServer({ cert: current.cert, key: current.key }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const served = async (): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { subject } = socket.getPeerCertificate()
    socket.destroy()
    return String(subject.CN)
  }
  const errors: unknown[] = []
  const renewed: string[] = []
  const options = { everyMs: 20, onError: (error: unknown) => errors.push(error), onRenewed: () => renewed.push('') }
  const renewal = renewCertificate(server, paths, current, options)
  const second = await writeCertificate(folder.path, 'second')

  await writeFile(paths.tlsKey, await readFile(second.tlsKey))
  await expect.poll(() => errors).toHaveLength(1)
  const whileBroken = await served()
  await writeFile(paths.tlsCert, await readFile(second.tlsCert))
  await expect.poll(() => renewed).toHaveLength(1)
  const afterwards = await served()
  await renewal[Symbol.asyncDispose]()
  server.close()

  expect([whileBroken, afterwards]).toEqual(['first', 'second'])
  expect(errors[0]).toMatchObject({ code: 'CONFIG_INVALID' })
})

test('files that are no certificate and key are refused, with the reason', async () => {
  await using folder = await temporaryFolder()
  const [one, two] = [await writeCertificate(folder.path, 'one'), await writeCertificate(folder.path, 'two')]
  const missing = join(folder.path, 'missing.crt')
  const refusal = async (tlsCert: string, tlsKey: string) =>
    readCertificate({ tlsCert, tlsKey }).then(
      () => undefined,
      (error: Error) => error.message,
    )

  expect(await refusal(missing, one.tlsKey)).toMatch(/^`--tls-cert` cannot be read: ENOENT/)
  expect(await refusal(one.tlsKey, one.tlsKey)).toContain('has no certificate in PEM format')
  expect(await refusal(one.tlsCert, two.tlsKey)).toContain('is not that of the first certificate')
  expect(await refusal(one.tlsCert, one.tlsCert)).toContain('has no usable private key')
  await writeFile(two.tlsKey, '')
  expect(await refusal(two.tlsCert, two.tlsKey)).toContain('has no usable private key')
  expect(() => parseConfig({ tlsCert: one.tlsCert })).toThrow('`tlsCert` requires `--tls-key`')
  expect(() => parseConfig({ tlsKey: one.tlsKey })).toThrow('`tlsKey` requires `--tls-cert`')
})

test('a connection that does not complete its handshake in time is closed', async () => {
  await using folder = await temporaryFolder()
  const { tlsCert, tlsKey } = await writeCertificate(folder.path, 'server')
  const pair = { cert: await readFile(tlsCert), key: await readFile(tlsKey) }
  const server = createServer({ ...pair, handshakeTimeout: 100 })
  server.on('clientError', refuseMalformed)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const silent = connectTcp((server.address() as AddressInfo).port, '127.0.0.1')

  await once(silent, 'close', { signal: AbortSignal.timeout(5000) })

  server.close()
  expect(silent.bytesRead).toBe(0)
})
