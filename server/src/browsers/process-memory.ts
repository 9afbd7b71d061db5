import { readdir, readFile } from 'node:fs/promises'

/**
 * Reads the memory of processes with all their descendants, in bytes by pid. Memory that processes
 * share is divided among them (PSS). Leaves out processes that cannot be read, and returns nothing
 * on systems without `/proc`.
 */
export async function readTreeMemory(roots: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const children = await readChildren()
  const memory = new Map<number, number>()
  for (const root of roots) {
    let bytes = 0
    for (const pid of withDescendants(root, children)) bytes += await readPss(pid)
    if (bytes > 0) memory.set(root, bytes)
  }
  return memory
}

/** Reads the children of every process. One file after the other, as nothing waits for it. */
async function readChildren(): Promise<ReadonlyMap<number, readonly number[]>> {
  const children = new Map<number, number[]>()
  const entries = await readdir('/proc').catch(() => [])
  for (const pid of entries.map(Number).filter(Number.isInteger)) {
    const stat = await readText(`/proc/${pid}/stat`)
    // The name before the last `)` can itself contain spaces and parentheses.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    if (!Number.isInteger(parent)) continue
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [pid])
    else siblings.push(pid)
  }
  return children
}

function withDescendants(root: number, children: ReadonlyMap<number, readonly number[]>): readonly number[] {
  const pids = [root]
  for (const pid of pids) pids.push(...(children.get(pid) ?? []))
  return pids
}

async function readPss(pid: number): Promise<number> {
  const rollup = await readText(`/proc/${pid}/smaps_rollup`)
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024
}

async function readText(path: string): Promise<string> {
  // The process may have ended.
  return readFile(path, 'latin1').catch(() => '')
}
