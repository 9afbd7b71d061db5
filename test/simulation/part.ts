import type { Random } from '../lab/random.ts'
import type { VirtualTime } from './virtual-time.ts'

/** A simulation that broke a law. */
export class BrokenLaw extends Error {
  constructor(law: string, facts: object = {}) {
    super(Object.keys(facts).length === 0 ? law : `${law}: ${JSON.stringify(facts)}`)
    this.name = 'BrokenLaw'
  }
}

/** Throws BrokenLaw if a law does not hold. */
export function assertLaw(holds: boolean, law: string, facts: object = {}): asserts holds {
  if (!holds) throw new BrokenLaw(law, facts)
}

/** A part of the server that is simulated. */
export interface Part extends AsyncDisposable {
  /** Number of random schedules in a simulation. */
  readonly schedulesPerRun: number
  /** Runs a simulation. Throws BrokenLaw. Returns how often what happened. */
  readonly run: (random: Random) => Promise<Readonly<Record<string, number>>>
}

/** Opens a part. */
export type OpenPart = (time: VirtualTime) => Promise<Part>
