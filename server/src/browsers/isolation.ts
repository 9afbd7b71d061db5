import { randomInt } from 'node:crypto'
import type { CommandLine } from './command-line.ts'
import { jailCommand, type Jail, type JailOptions } from './jail.ts'

/** Which user browsers run as. `each`: every browser as a user of its own. */
export type RunAs = 'each' | 'nobody' | 'self'

/** The ways in which browsers are held apart and held down on this machine. */
export interface IsolationLayers {
  readonly runAs: RunAs
  /** Whether Chromium's own sandbox is on. */
  readonly isSandboxed: boolean
  /** The bubblewrap around every browser, or why there is none. */
  readonly jail: Jail | NoJail
  /** Path of `setpriv`, which has the kernel kill a browser at the death of the server. */
  readonly setprivPath: string | undefined
  /** Whether Chromium must keep shared memory in its TMPDIR, for want of room in `/dev/shm`. */
  readonly isShmSmall: boolean
}

/** Why browsers run without bubblewrap, in words. */
export interface NoJail {
  readonly missing: string
}

/** One layer in words, for the start-up log, `/readyz` and `bowline doctor`. */
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

// Numbers that neither systemd nor the subordinate ranges of containers give out, and no person has.
const firstUid = 1_900_000_000
const uidCount = 200_000_000
const nobodyUid = 65_534

/** The user for the next browser. Undefined: the server's own. Drawn by lot, so that two servers hardly ever share one. */
export function nextUid(layers: IsolationLayers): number | undefined {
  switch (layers.runAs) {
    case 'each':
      return firstUid + randomInt(uidCount)
    case 'nobody':
      return nobodyUid
    case 'self':
      return undefined
    default:
      return layers.runAs satisfies never
  }
}

/** The bubblewrap of these layers; undefined when there is none. */
export function jailOf({ jail }: IsolationLayers): Jail | undefined {
  return 'missing' in jail ? undefined : jail
}

/** Whether anything holds a page that breaks out of its renderer: Chromium's own sandbox or bubblewrap. */
export function isHeld(layers: IsolationLayers): boolean {
  return layers.isSandboxed || jailOf(layers) !== undefined
}

/** The command line that starts a browser inside these layers. */
export async function wrapCommand(
  layers: IsolationLayers,
  command: CommandLine,
  options: JailOptions,
): Promise<CommandLine> {
  const jail = jailOf(layers)
  if (jail !== undefined) return jailCommand(jail, command, options)
  return layers.setprivPath === undefined
    ? command
    : { file: layers.setprivPath, args: ['--pdeathsig', 'KILL', '--', command.file, ...command.args] }
}

/** Says of every layer whether it is on, and why not. */
export function describeIsolation(layers: IsolationLayers): readonly IsolationLayer[] {
  return [
    { name: 'debugging pipe', state: 'on', detail: 'browsers open no port and exit when the server is gone' },
    describeUser(layers.runAs),
    layers.isSandboxed
      ? { name: 'chromium sandbox', state: 'on', detail: "Chromium's own sandbox holds its renderers" }
      : {
          name: 'chromium sandbox',
          state: 'off',
          detail:
            'WARNING: Chromium does not start with its sandbox here (it needs user namespaces and a user that is not root), so a page that breaks out of its renderer has the rights of the browser',
        },
    'missing' in layers.jail
      ? { name: 'bubblewrap', state: 'off', detail: layers.jail.missing }
      : { name: 'bubblewrap', state: 'on', detail: 'browsers see no file of this machine but fonts and libraries' },
    jailOf(layers)?.isOffline === true
      ? { name: 'network', state: 'on', detail: 'browsers have no network; only the egress proxy leads out' }
      : {
          name: 'network',
          state: 'off',
          detail:
            'browsers are sent through the egress proxy but share the network of the machine; see --isolation strict',
        },
    describeLeash(layers),
  ]
}

function describeUser(runAs: RunAs): IsolationLayer {
  const name = 'process user'
  switch (runAs) {
    case 'each':
      return { name, state: 'on', detail: 'every browser runs as an unprivileged user of its own' }
    case 'nobody':
      return { name, state: 'on', detail: 'all browsers run as nobody, so they share one user' }
    case 'self':
      return { name, state: 'off', detail: 'browsers run as the user of the server' }
    default:
      return runAs satisfies never
  }
}

function describeLeash(layers: IsolationLayers): IsolationLayer {
  return layers.setprivPath === undefined && jailOf(layers) === undefined
    ? {
        name: 'parent-death signal',
        state: 'off',
        detail: 'neither bubblewrap nor a setpriv with --pdeathsig (install util-linux) on this machine',
      }
    : { name: 'parent-death signal', state: 'on', detail: 'the kernel kills browsers when the server is gone' }
}
