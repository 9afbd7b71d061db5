import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { startDemoSite } from '../../src/cli/demo-site.ts'
import { startServer } from '../../server/src/index.ts'
import { ensureDashboard } from '../setup/dashboard.mjs'

/** Starts a server, the demo site and a browser for screenshots. Disposing stops them. */
export async function openStudio() {
  await using undo = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'bowline-pictures-'))
  undo.defer(async () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const site = undo.use(await startDemoSite())
  const server = undo.use(await startServer({ port: 0, dataDir, warm: 1, allow: ['127.0.0.1'], logLevel: 'warn' }))
  const executablePath = server.browser.path.replace('chromium-headless-shell', 'chromium')
  const camera = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  undo.defer(async () => camera.close())
  const api = async (method, path, body) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
    })
    return response.json()
  }
  const opened = undo.move()
  return { site, server, camera, api, [Symbol.asyncDispose]: async () => opened.disposeAsync() }
}

/** Opens the dashboard with a signed-in user. */
export async function openDashboard({ server, camera }, options) {
  await ensureDashboard({ root: fileURLToPath(new URL('../..', import.meta.url)) })
  const viewer = await camera.newPage({ deviceScaleFactor: 1.5, ...options })
  await viewer.addInitScript(`sessionStorage.setItem('bowline.key', ${JSON.stringify(server.apiKey)})`)
  await viewer.goto(server.url)
  return viewer
}
