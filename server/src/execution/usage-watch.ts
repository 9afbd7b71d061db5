import { readdirSync, readFileSync, statSync } from 'node:fs'

/** Resources of a process and its descendants. */
export interface ProcessUsage {
  readonly memoryBytes: number
  readonly threads: number
  readonly openFiles: number
}

type OnUsage = (usage: ProcessUsage) => void

interface Stat extends Pick<ProcessUsage, 'memoryBytes' | 'threads'> {
  readonly pid: number
  readonly parent: number
}

const checkMs = 500
const pageBytes = 4096

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
      onUsage({
        memoryBytes: family.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
        threads: family.reduce((sum, { threads }) => sum + threads, 0),
        openFiles: family.reduce((sum, each) => sum + countOpenFiles(each.pid), 0),
      })
    }
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

/** Zero for a process that has ended, or whose files the server may not see. */
function countOpenFiles(pid: number): number {
  const path = `/proc/${pid}/fd`
  try {
    // Linux 6.2 and later count them.
    return statSync(path).size || readdirSync(path).length
  } catch {
    // The process has ended, or is another user's.
    return 0
  }
}

function readStat(pid: number): Stat | undefined {
  if (!Number.isInteger(pid)) return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The process name ends at the last `)` and can itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      pid,
      parent: Number(fields[1]),
      threads: Number(fields[17]),
      memoryBytes: Number(fields[21]) * pageBytes,
    }
  } catch {
    // The process has ended.
    return undefined
  }
}
