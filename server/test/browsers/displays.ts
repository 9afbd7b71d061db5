import { existsSync, globSync, readFileSync } from 'node:fs'

/** Whether this machine has virtual displays. */
export const hasXvfb = ['/usr/bin/Xvfb', '/usr/bin/xkbcomp', '/usr/bin/bwrap'].every((path) => existsSync(path))

/** The pids of the Xvfb processes that a process has started. */
export function displaysOf(ancestor: number): readonly number[] {
  const pids = globSync('/proc/[0-9]*').map((path) => Number(path.slice('/proc/'.length)))
  return pids.filter((pid) => statOf(pid)?.name === 'Xvfb' && descendsFrom(pid, ancestor))
}

function descendsFrom(pid: number, ancestor: number): boolean {
  const parent = statOf(pid)?.parent
  return parent !== undefined && parent > 1 && (parent === ancestor || descendsFrom(parent, ancestor))
}

/** Whether a process is a running Xvfb. */
export function isDisplay(pid: number): boolean {
  return statOf(pid)?.name === 'Xvfb'
}

function statOf(pid: number): { readonly name: string; readonly parent: number } | undefined {
  try {
    const [, name = '', state, parent] = /\((.*)\) (\w) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return state === 'Z' ? undefined : { name, parent: Number(parent) }
  } catch {
    return undefined
  }
}
