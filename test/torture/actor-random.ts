import { createHash } from 'node:crypto'
import { createRandom, type Random } from '../lab/random.ts'

/**
 * Creates the generator of one client or one kind of faults. Each has its own, so that its choices
 * do not depend on how fast the others are.
 */
export function actorRandom(seed: number, actor: string): Random {
  return createRandom(createHash('sha256').update(`${seed} ${actor}`).digest().readUInt32LE())
}
