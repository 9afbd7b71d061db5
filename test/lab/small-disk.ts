import { execFileSync } from 'node:child_process'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A disk of a few megabytes. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string
  /** Writes a file until no space is left. */
  readonly fill: () => void
  /** Removes that file. */
  readonly free: () => void
}

/** Whether this process may mount disks. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0

/** Mounts a disk in memory. Disposing unmounts it. */
export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), 'bowline-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path])
  const filler = join(path, 'filler')
  const chunk = Buffer.alloc(64 * 1024)
  return {
    path,
    fill: () => {
      try {
        for (;;) writeFileSync(filler, chunk, { flag: 'a' })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    free: () => {
      truncateSync(filler)
      rmSync(filler)
    },
    [Symbol.asyncDispose]: async () => {
      execFileSync('umount', ['--lazy', path])
      await rmdir(path)
    },
  }
}
