import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowserHost } from '../../server/src/browsers/host.ts'
import type { IsolationLayers } from '../../server/src/browsers/isolation.ts'
import type { ServerConfig } from '../../server/src/config.ts'

type Choice = Pick<ServerConfig, 'browser' | 'isolation'>

const found = new Map<string, Promise<IsolationLayers>>()

/**
 * Probes the isolation of browsers on this machine, once for all servers of a test process. What
 * the machine has is the same for both kinds of browser.
 */
export async function knownIsolation({ browser = 'shell', isolation }: Choice): Promise<IsolationLayers> {
  const choice = browser === 'chromium' ? 'shell' : browser
  const key = JSON.stringify([choice, isolation])
  const probed = found.get(key) ?? probe({ browser: choice, isolation })
  found.set(key, probed)
  return probed
}

async function probe({ browser, isolation }: Choice): Promise<IsolationLayers> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-isolation-'))
  const options = { dataDir: folder.path, choice: browser, isolationMode: isolation, environment: process.env }
  await using host = await openBrowserHost(options)
  return host.isolation
}
