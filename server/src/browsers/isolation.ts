import { randomInt } from 'node:crypto'
import type { CommandLine } from './command-line.ts'
import { jailCommand, type Jail, type JailOptions } from './jail.ts'

/**
 * User that browser processes run as. `each`: one user per browser. `shared`: one unprivileged
 * system account for all browsers. `self`: the user of the server.
 */
export type RunAs = 'each' | 'shared' | 'self'

/** How browsers are isolated from each other and from this machine. */
export interface IsolationLayers {
  readonly runAs: RunAs
  /** Whether Chromium's own sandbox is on. */
  readonly isSandboxed: boolean
  /** The bubblewrap around every browser, or why there is none. */
  readonly jail: Jail | NoJail
  /** Path of `setpriv`, which makes the kernel kill a browser when the server dies. */
  readonly setprivPath: string | undefined
  /** Whether `/dev/shm` is too small, so that Chromium must keep shared memory in its TMPDIR. */
  readonly isShmSmall: boolean
}

/** Reason why browsers run without bubblewrap. */
export interface NoJail {
  readonly missing: string
}

/** State of one isolation layer, for the startup log, `/readyz` and `bowline doctor`. */
export interface IsolationLayer {
  readonly name:
    | 'debugging pipe'
    | 'process user'
    | 'chromium sandbox'
    | 'bubblewrap'
    | 'network'
    | 'parent-death signal'
  readonly state: 'on' | 'off'
  readonly detail: string
}

// Uids that are not used by systemd, by subordinate ranges of containers or by user accounts.
const firstUid = 1_900_000_000
const uidCount = 200_000_000
const nobodyUid = 65_534

/**
 * Picks the uid of the next browser. Undefined: the server's own. Random, so that two servers
 * rarely share one.
 */
export function nextUid(isolation: IsolationLayers): number | undefined {
  switch (isolation.runAs) {
    case 'each':
      return firstUid + randomInt(uidCount)
    case 'shared':
      return nobodyUid
    case 'self':
      return undefined
    default:
      return isolation.runAs satisfies never
  }
}

/** Returns the bubblewrap settings, or undefined if it is not used. */
export function jailOf({ jail }: IsolationLayers): Jail | undefined {
  return 'missing' in jail ? undefined : jail
}

/** Whether Chromium's sandbox or bubblewrap contains a page that escapes its renderer. */
export function isIsolated(isolation: IsolationLayers): boolean {
  return isolation.isSandboxed || jailOf(isolation) !== undefined
}

/** Wraps the command line of a browser in its isolation. */
export async function wrapCommand(
  isolation: IsolationLayers,
  command: CommandLine,
  options: JailOptions,
): Promise<CommandLine> {
  const jail = jailOf(isolation)
  if (jail !== undefined) return jailCommand(jail, command, options)
  return isolation.setprivPath === undefined
    ? command
    : { file: isolation.setprivPath, args: ['--pdeathsig', 'KILL', '--', command.file, ...command.args] }
}

/** Describes every isolation layer: whether it is on, and if not, why. */
export function describeIsolation(isolation: IsolationLayers): readonly IsolationLayer[] {
  return [
    { name: 'debugging pipe', state: 'on', detail: 'browsers open no port and exit when the server exits' },
    describeUser(isolation.runAs),
    isolation.isSandboxed
      ? { name: 'chromium sandbox', state: 'on', detail: "Chromium's own sandbox confines its renderers" }
      : {
          name: 'chromium sandbox',
          state: 'off',
          detail:
            'WARNING: Chromium cannot start with its sandbox here (it needs user namespaces and a user other than root), so a page that escapes its renderer has the rights of the browser',
        },
    'missing' in isolation.jail
      ? { name: 'bubblewrap', state: 'off', detail: isolation.jail.missing }
      : { name: 'bubblewrap', state: 'on', detail: 'browsers see no files of this machine except fonts and libraries' },
    jailOf(isolation)?.hasOwnNetwork === true
      ? { name: 'network', state: 'on', detail: 'browsers have no network access except through the egress proxy' }
      : {
          name: 'network',
          state: 'off',
          detail: 'browsers use the egress proxy but share the network of the machine; see --isolation strict',
        },
    describeParentDeathSignal(isolation),
  ]
}

function describeUser(runAs: RunAs): IsolationLayer {
  const name = 'process user'
  switch (runAs) {
    case 'each':
      return { name, state: 'on', detail: 'every browser runs as a separate unprivileged user' }
    case 'shared':
      return { name, state: 'on', detail: 'all browsers run as the unprivileged user `nobody`' }
    case 'self':
      return { name, state: 'off', detail: 'browsers run as the user of the server' }
    default:
      return runAs satisfies never
  }
}

function describeParentDeathSignal(isolation: IsolationLayers): IsolationLayer {
  return isolation.setprivPath === undefined && jailOf(isolation) === undefined
    ? {
        name: 'parent-death signal',
        state: 'off',
        detail: 'needs bubblewrap, or setpriv with --pdeathsig (install util-linux)',
      }
    : { name: 'parent-death signal', state: 'on', detail: 'the kernel kills browsers when the server exits' }
}
