import { readdirSync, readFileSync, statSync } from 'node:fs'
import { queuedBytes } from './socket-queues.ts'

/** Resources of a process and its descendants. */
export interface ProcessUsage {
  /** Memory in use, swapped out, and taken by page tables and data that waits in connections. */
  readonly memoryBytes: number
  readonly threads: number
  readonly openFiles: number
}

type OnUsage = (usage: ProcessUsage) => void

interface Stat {
  readonly pid: number
  readonly parent: number
}

const checkMs = 500
/** Open files whose TCP connections cannot hold much memory. */
const fewOpenFiles = 64
/** Slots for open files of processes that open few. */
const commonFileSlots = 256

/**
 * Measures what the interpreters of a server use, twice a second while there are any, with one
 * reading of `/proc` for all. Reports nothing on systems without `/proc`.
 */
export class UsageWatch implements Disposable {
  readonly #watched = new Map<number, OnUsage>()
  #timer: NodeJS.Timeout | undefined

  /**
   * Reports what a process and its descendants use. In a PID namespace of its own, every process is
   * a descendant of the first one. Disposing stops.
   */
  watch(pid: number, onUsage: OnUsage): Disposable {
    this.#watched.set(pid, onUsage)
    this.#timer ??= setInterval(() => this.#measure(), checkMs).unref()
    return {
      [Symbol.dispose]: () => {
        this.#watched.delete(pid)
        if (this.#watched.size === 0) this[Symbol.dispose]()
      },
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #measure(): void {
    const children = new Map<number, Stat[]>()
    const stats = new Map<number, Stat>()
    for (const stat of readAll()) {
      stats.set(stat.pid, stat)
      const siblings = children.get(stat.parent)
      if (siblings === undefined) children.set(stat.parent, [stat])
      else siblings.push(stat)
    }
    for (const [pid, onUsage] of this.#watched) {
      const root = stats.get(pid)
      if (root === undefined) continue
      const family = [root]
      for (const { pid: parent } of family) family.push(...(children.get(parent) ?? []))
      const usage = sumOf(family.map((each) => usageOf(each.pid)))
      const last = family.at(-1) ?? root
      const queued = usage.openFiles > fewOpenFiles ? queuedBytes(last.pid) : 0
      onUsage({ ...usage, memoryBytes: usage.memoryBytes + queued })
    }
  }
}

function sumOf(usages: readonly ProcessUsage[]): ProcessUsage {
  return {
    memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
    threads: usages.reduce((sum, { threads }) => sum + threads, 0),
    openFiles: usages.reduce((sum, { openFiles }) => sum + openFiles, 0),
  }
}

function readAll(): readonly Stat[] {
  try {
    return readdirSync('/proc').flatMap((name) => readStat(Number(name)) ?? [])
  } catch {
    // Only Linux has `/proc`.
    return []
  }
}

/** Zeros for a process that has ended. */
function usageOf(pid: number): ProcessUsage {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
    return {
      memoryBytes: (field('VmRSS') + field('VmSwap') + field('VmPTE')) * 1024,
      threads: field('Threads'),
      openFiles: countOpenFiles(pid, field('FDSize')),
    }
  } catch {
    // The process has ended.
    return { memoryBytes: 0, threads: 0, openFiles: 0 }
  }
}

/** `slots`: an upper limit of the number, which is used where the server may not see the files. */
function countOpenFiles(pid: number, slots: number): number {
  const path = `/proc/${pid}/fd`
  try {
    // Linux 6.2 and later count them.
    return statSync(path).size || readdirSync(path).length
  } catch (error) {
    const isHidden = (error as NodeJS.ErrnoException).code === 'EACCES'
    return isHidden && slots > commonFileSlots ? slots : 0
  }
}

function readStat(pid: number): Stat | undefined {
  if (!Number.isInteger(pid)) return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The process name ends at the last `)` and can itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { pid, parent: Number(fields[1]) }
  } catch {
    // The process has ended.
    return undefined
  }
}
