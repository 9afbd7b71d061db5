/** A seeded random number generator. */
export interface Random {
  /** An integer from `min` to `max`. */
  readonly whole: (min: number, max: number) => number
  readonly pick: <Item>(items: readonly Item[]) => Item
}

/** Creates a generator. Tests print the seed on failure, so that they can be repeated. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const whole: Random['whole'] = (min, max) => min + Math.floor(next() * (max - min + 1))
  return { whole, pick: (items) => items[whole(0, items.length - 1)]! }
}
