import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg, totalmem } from 'node:os'

/** How much of a machine is in use by all its processes. */
export interface MachineUse {
  /** Share of the memory of the machine or its container, 0 to 1. */
  readonly memoryUsed: number
  /** Share of the processors in the last minute, 0 to 1. */
  readonly cpuUsed: number
}

/** Measures the machine or container of this process. */
export function measureMachine(): MachineUse {
  const [load = 0] = loadavg()
  return { memoryUsed: memoryUsed(), cpuUsed: Math.min(1, load / availableParallelism()) }
}

function memoryUsed(): number {
  const limitBytes = process.constrainedMemory()
  const isContainer = limitBytes > 0 && limitBytes < totalmem()
  const totalBytes = isContainer ? limitBytes : totalmem()
  // Outside of containers, the kernel already counts the cache of files as available.
  const freeBytes = process.availableMemory() + (isContainer ? cachedFileBytes() : 0)
  return Math.min(1, Math.max(0, 1 - freeBytes / totalBytes))
}

/** Memory of the container that holds files and can be reclaimed. */
function cachedFileBytes(): number {
  try {
    return Number(/^inactive_file (\d+)$/m.exec(readFileSync('/sys/fs/cgroup/memory.stat', 'utf8'))?.[1] ?? 0)
  } catch {
    // Not Linux, or the first version of control groups.
    return 0
  }
}
