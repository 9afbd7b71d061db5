import { openBrowserHost } from '../../../src/browsers/host.ts'
import { launchBrowser } from '../../../src/browsers/launch.ts'
import type { IsolationLayers } from '../../../src/browsers/isolation.ts'
import { openEgress } from '../../../src/egress/egress.ts'

// Acts as a server: opens a browser with each mechanism, prints their pids and the folder, and waits to be killed.
const [dataDir = '', known = '', kind = '', ...mechanisms] = process.argv.slice(2)
const isolation = JSON.parse(known) as IsolationLayers
const isHeadful = kind === 'headful'
const choice = isHeadful ? 'chromium' : 'shell'
const host = await openBrowserHost({ dataDir, choice, isolation, environment: process.env })
const egress = await openEgress({ log: { debug: () => {}, warn: () => {} } })

function layersOf(mechanism: string): IsolationLayers {
  const noJail = { missing: 'not expected here' }
  if (mechanism === 'pipe') return { ...isolation, jail: noJail, setprivPath: undefined }
  if (mechanism === 'signal') return { ...isolation, jail: noJail }
  if ('missing' in isolation.jail) throw new Error(`There is no bubblewrap here: ${isolation.jail.missing}`)
  return { ...isolation, jail: { ...isolation.jail, hasOwnNetwork: mechanism === 'own network' } }
}

const browsers = await Promise.all(
  mechanisms.map((mechanism) =>
    launchBrowser(
      { ...host, isolation: layersOf(mechanism) },
      { openProxyEndpoint: egress.openProxyEndpoint, isHeadful },
    ),
  ),
)
process.stdout.write(`${JSON.stringify({ pids: browsers.map(({ pid }) => pid), bootPath: host.boot.path })}\n`)
setInterval(() => {}, 60_000)
