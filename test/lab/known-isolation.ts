import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBrowserHost } from '../../server/src/browsers/host.ts'
import type { IsolationLayers } from '../../server/src/browsers/isolation.ts'
import type { ServerConfig } from '../../server/src/config.ts'

type Choice = Pick<ServerConfig, 'browser' | 'isolation'>

const found = new Map<string, Promise<IsolationLayers>>()

/** The layers in which this machine runs browsers, found out once for all servers of a process of tests. */
export async function knownIsolation({ browser, isolation }: Choice): Promise<IsolationLayers> {
  const key = JSON.stringify([browser, isolation])
  const layers = found.get(key) ?? findLayers({ browser, isolation })
  found.set(key, layers)
  return layers
}

async function findLayers({ browser, isolation }: Choice): Promise<IsolationLayers> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-layers-'))
  const options = { dataDir: folder.path, choice: browser, isolation, environment: process.env }
  await using host = await openBrowserHost(options)
  return host.layers
}
