/** Options of `npm run bench`. */
export interface BenchOptions {
  /** Whether to measure fewer rounds. */
  readonly isQuick: boolean
  /** Number of rounds. Each group has its own default. */
  readonly rounds: number | undefined
  /** Prints progress to stderr. */
  readonly progress: (line: string) => void
}

/** Target of a figure: a bound on the ratio to the baseline or on the value itself. */
export interface Aim {
  readonly of: 'ratio' | 'ours'
  readonly bound: 'at most' | 'at least'
  readonly value: number
}

/** A row of the table. */
export interface Figure {
  readonly name: string
  /** Such as `ms` or `MB`. */
  readonly unit: string
  readonly ours: number
  /** The baseline, measured in the same run. Absent if there is none. */
  readonly baseline?: number
  readonly aim?: Aim
}

/** One file of this folder: `export const group`. `npm run bench` finds it by that line. */
export interface BenchGroup {
  readonly name: string
  /** One sentence for the table's heading: what is compared with what. */
  readonly about: string
  readonly run: (options: BenchOptions) => Promise<readonly Figure[]>
}

/** An aim that the ratio to the baseline stays at or below `value`. */
export function ratioAtMost(value: number): Aim {
  return { of: 'ratio', bound: 'at most', value }
}

/** An aim that the ratio to the baseline reaches `value`. */
export function ratioAtLeast(value: number): Aim {
  return { of: 'ratio', bound: 'at least', value }
}

/** An aim that the value itself stays at or above `value`. */
export function atLeast(value: number): Aim {
  return { of: 'ours', bound: 'at least', value }
}

/** An aim that the figure itself stays at or below `value`. */
export function atMost(value: number): Aim {
  return { of: 'ours', bound: 'at most', value }
}
