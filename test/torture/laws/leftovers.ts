import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bowline } from '../../../src/index.ts'
import { commandLine, processesNaming, processesWithEnvironment } from '../../lab/browser-processes.ts'
import type { Fleet } from '../fleet.ts'

/** Milliseconds after which reapers of killed clients have exited. */
const reaperMs = 70_000

/**
 * Waits until the reapers of killed clients have exited. After outages of a minute, which is how
 * long reapers try, deletes the remaining sessions as the next client would. Returns what is left.
 */
export async function waitForClients(
  { members, sessionDir, apiKey }: Fleet,
  { hasLongOutages }: { readonly hasLongOutages: boolean },
): Promise<readonly string[]> {
  const endMs = Date.now() + reaperMs
  for (;;) {
    const pids = members.flatMap(({ url }) => processesWithEnvironment(`BOWLINE_BASE_URL=${url}`))
    if (pids.length === 0) {
      for (const { url: baseUrl } of hasLongOutages ? members : [])
        await new Bowline({ baseUrl, apiKey, sessionDir }).sessions.reap()
      const markers = await namesIn(sessionDir)
      return markers.length === 0 ? [] : [`session markers of clients are left: ${markers.join(' ')}`]
    }
    if (Date.now() > endMs) return pids.map((pid) => `a process of a client is left: ${commandLine(pid).join(' ')}`)
    await sleep(200)
  }
}

/** Returns the processes, files and ports that stopped servers have left. */
export async function findLeftovers({ members }: Fleet): Promise<readonly string[]> {
  const broken: string[] = []
  for (const { name, dataDir, temporaryDir, port } of members) {
    const processes = new Set([...processesNaming(dataDir), ...processesWithEnvironment(temporaryDir)])
    if (processes.size > 0) broken.push(`processes of ${name} are left: ${[...processes].join(' ')}`)
    const pending = join(dataDir, 'pending-profiles')
    for (const folder of [temporaryDir, join(dataDir, 'run'), pending, join(pending, 'profiles')]) {
      // The folder of archives stays after the first of them.
      const left = (await namesIn(folder)).filter((name) => folder !== pending || name !== 'profiles')
      if (left.length > 0) broken.push(`files are left in ${folder}: ${left.join(' ')}`)
    }
    if (await isListening(port)) broken.push(`the port of ${name} is still open: ${port}`)
  }
  return broken
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => !name.startsWith('.'))
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port })
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
