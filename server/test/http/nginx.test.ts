import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { findFreePort } from '../../../test/lab/free-port.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { startSite } from '../../../test/lab/site.ts'
import { repository } from '../../../test/lab/source-tree.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

const nginx = '/usr/sbin/nginx'

/** The configuration in the documentation, for these ports and without its own certificate. */
async function documentedServer(port: number, upstream: string): Promise<string> {
  const page = await readFile(join(repository, 'docs/running/https.md'), 'utf8')
  const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(page) ?? []
  return block
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_certificate.*\n/gm, '')
    .replace('http://127.0.0.1:3900', upstream)
}

async function startNginx(folder: string, server: string): Promise<AsyncDisposable> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  )
  const file = join(folder, 'nginx.conf')
  const main = [`daemon off;`, `pid ${join(folder, 'pid')};`, `worker_processes 1;`, `error_log stderr;`, `events {}`]
  await writeFile(file, [...main, `http {`, `access_log off;`, ...temporary, server, `}`].join('\n'))
  const child = spawn(nginx, ['-c', file, '-p', folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  return {
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

const name = existsSync(nginx)
  ? 'behind nginx as documented, CDP, uploads and the address of the client work'
  : 'behind nginx: skipped, as nginx is not installed'
test.skipIf(!existsSync(nginx))(name, async () => {
  await using folder = await temporaryFolder()
  await using site = await startSite()
  await using lab = await startLab({ trustedProxies: ['loopback'] })
  const port = await findFreePort()
  await using _proxy = await startNginx(folder.path, await documentedServer(port, lab.server.url))
  const url = `http://127.0.0.1:${port}`
  const authorization = `Bearer ${lab.server.apiKey}`
  await expect.poll(async () => (await fetch(`${url}/livez`).catch(() => undefined))?.status).toBe(200)

  const created = await fetch(`${url}/v2/browser`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{"ttl":60}',
  })
  const { id, cdpUrl } = (await created.json()) as Record<'id' | 'cdpUrl', string>
  const browser = await chromium.connectOverCDP(cdpUrl)
  const page = await browser.contexts()[0]!.newPage()
  await page.goto(site.url('/title?text=Moored'))
  const title = await page.title()
  await browser.close()
  // Above the default of nginx, 1 MB, and of the buffer that it would write to disk first.
  const body = new Uint8Array(3_000_000)
  const uploaded = await fetch(`${url}/v2/browser/${id}/files?name=big.bin`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/octet-stream' },
    body,
  })
  const downloaded = await fetch(`${url}/v2/browser/${id}/files/big.bin`, { headers: { authorization } })

  expect(cdpUrl).toMatch(`ws://127.0.0.1:${port}/`)
  expect(title).toBe('Moored')
  expect(uploaded.status).toBe(200)
  expect((await downloaded.arrayBuffer()).byteLength).toBe(body.length)
})
