// node --expose-gc churn-program.ts: drives sessions on its own server. Prints its resources as a
// line of JSON after each number of sessions given as an argument.
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { browserPids } from '../lab/browser-processes.ts'
import { connectCdp } from '../lab/cdp-socket.ts'
import { startEmbeddedLab, type Lab } from '../lab/lab.ts'
import { startSite } from '../lab/site.ts'

/** Resources that an idle server holds. */
export interface Holdings {
  readonly sessions: number
  /** Without files of the embedded database, which opens those of a table at its first use. */
  readonly fileDescriptors: number
  /** Handles that keep the event loop alive, such as timers and sockets. */
  readonly handles: Readonly<Record<string, number>>
  readonly browsers: number
  /** Folders of browsers. */
  readonly folders: number
  readonly heapMegabytes: number
}

async function visit(lab: Lab, url: string): Promise<void> {
  const { id, cdpUrl } = await lab.createSession({ ttl: 60 })
  const cdp = await connectCdp(cdpUrl)
  const page = await cdp.attachToPage()
  await cdp.call('Page.navigate', { url }, page)
  await lab.api('DELETE', `/v2/browser/${id}`)
  await cdp.closed
}

function countBy(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

async function countFolders(dataDir: string): Promise<number> {
  const boots = await readdir(join(dataDir, 'run'))
  const inside = await Promise.all(boots.map(async (boot) => readdir(join(dataDir, 'run', boot))))
  return inside.flat().filter((name) => !name.endsWith('.json')).length
}

/** Waits until the pool has refilled and old browsers are gone. */
async function settle(lab: Lab): Promise<void> {
  for (;;) {
    const { pool, sessions } = (await lab.api('GET', '/readyz')).body
    if (pool.warm === 1 && pool.starting === 0 && pool.live === 0 && sessions.live === 0) break
    await sleep(50)
  }
  // Closed sockets and the folders of killed browsers are released in later turns of the event
  // loop.
  while ((await countFolders(lab.dataDir)) > 1 || browserPids(lab.dataDir).length > 1) await sleep(50)
}

async function countFileDescriptors(dataDir: string): Promise<number> {
  const folder = '/proc/self/fd'
  const read = async (name: string) => readlink(join(folder, name)).catch(() => undefined)
  const links = await Promise.all((await readdir(folder)).map(read))
  return links.filter((link) => link?.startsWith(join(dataDir, 'pg')) !== true).length
}

async function holdings(lab: Lab, sessions: number): Promise<Holdings> {
  globalThis.gc?.()
  await sleep(100)
  globalThis.gc?.()
  return {
    sessions,
    fileDescriptors: await countFileDescriptors(lab.dataDir),
    handles: countBy(process.getActiveResourcesInfo()),
    browsers: browserPids(lab.dataDir).length,
    folders: await countFolders(lab.dataDir),
    heapMegabytes: process.memoryUsage().heapUsed / 1e6,
  }
}

async function main(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bowline-churn-'))
  {
    await using lab = await startEmbeddedLab({ warm: 1, dataDir })
    await using site = await startSite()
    let done = 0
    for (const count of process.argv.slice(2).map(Number)) {
      for (; done < count; done += 1) await visit(lab, site.url('/'))
      await settle(lab)
      console.log(JSON.stringify(await holdings(lab, done)))
    }
  }
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
}

await main()
