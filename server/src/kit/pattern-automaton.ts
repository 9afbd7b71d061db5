/** Direction in which an automaton reads texts and patterns. */
export type Direction = 'forwards' | 'backwards'

/**
 * Finds many patterns in one pass (Aho and Corasick). Reading a text takes linear time, whatever
 * the number and the length of the patterns. A state stands for the longest prefix of a pattern
 * that was read last; state 0 for none. `backwards`: suffixes, for texts read from the end.
 */
export class PatternAutomaton {
  /** Length of the longest pattern. */
  readonly maxLength: number
  /** One child of each state. 0: none. */
  readonly #children: Int32Array
  /** Further children by state and code unit: few states have some. */
  readonly #branches = new Map<number, number>()
  /** Code unit that leads to each state. */
  readonly #codes: Uint16Array
  readonly #depths: Int32Array
  /** State of the longest proper suffix of what each state stands for. */
  readonly #fallbacks: Int32Array
  /** Index plus 1 of the longest pattern that is a suffix of each state. */
  readonly #matches: Int32Array
  /** Index of the first pattern to which each state belongs. */
  readonly #owners: Int32Array
  #size = 1

  constructor(patterns: readonly string[], direction: Direction) {
    const maxStates = patterns.reduce((sum, { length }) => sum + length, 1)
    this.maxLength = patterns.reduce((max, { length }) => Math.max(max, length), 0)
    this.#children = new Int32Array(maxStates)
    this.#codes = new Uint16Array(maxStates)
    this.#depths = new Int32Array(maxStates)
    this.#fallbacks = new Int32Array(maxStates)
    this.#matches = new Int32Array(maxStates)
    this.#owners = new Int32Array(maxStates)
    const parents = new Int32Array(maxStates)
    for (const [index, pattern] of patterns.entries()) this.#add(index, pattern, direction, parents)
    this.#linkFallbacks(parents)
  }

  /** Returns the state after a code unit. */
  next(state: number, code: number): number {
    for (let from = state; ; from = this.#fallbacks[from] ?? 0) {
      const child = this.#childOf(from, code)
      if (child !== 0 || from === 0) return child
    }
  }

  /** Returns the length of the prefix that a state stands for. */
  depthOf(state: number): number {
    return this.#depths[state] ?? 0
  }

  /** Returns the index of the longest pattern that was read last, or -1. */
  matchOf(state: number): number {
    return (this.#matches[state] ?? 0) - 1
  }

  /** Returns the index of a pattern with the prefix that a state stands for. */
  ownerOf(state: number): number {
    return this.#owners[state] ?? 0
  }

  #childOf(state: number, code: number): number {
    const child = this.#children[state] ?? 0
    if (child === 0 || this.#codes[child] === code) return child
    return this.#branches.get(keyOf(state, code)) ?? 0
  }

  #add(index: number, pattern: string, direction: Direction, parents: Int32Array): void {
    let state = 0
    for (let depth = 1; depth <= pattern.length; depth++) {
      const code = pattern.charCodeAt(direction === 'forwards' ? depth - 1 : pattern.length - depth)
      const parent = state
      state = this.#childOf(parent, code)
      if (state !== 0) continue
      state = this.#size++
      if (this.#children[parent] === 0) this.#children[parent] = state
      else this.#branches.set(keyOf(parent, code), state)
      parents[state] = parent
      this.#codes[state] = code
      this.#depths[state] = depth
      this.#owners[state] = index
    }
    if (state !== 0) this.#matches[state] = index + 1
  }

  /** Links the states by depth: those of shorter prefixes are linked already. */
  #linkFallbacks(parents: Int32Array): void {
    for (const state of this.#statesByDepth()) {
      const parent = parents[state] ?? 0
      const fallback = parent === 0 ? 0 : this.next(this.#fallbacks[parent] ?? 0, this.#codes[state] ?? 0)
      this.#fallbacks[state] = fallback
      if (this.#matches[state] === 0) this.#matches[state] = this.#matches[fallback] ?? 0
    }
  }

  /** Returns all states but 0, sorted by counting. */
  #statesByDepth(): Int32Array {
    const ends = new Int32Array(this.maxLength + 2)
    for (let state = 1; state < this.#size; state++) increment(ends, this.depthOf(state) + 1)
    for (let depth = 1; depth < ends.length; depth++) ends[depth] = (ends[depth] ?? 0) + (ends[depth - 1] ?? 0)
    const sorted = new Int32Array(this.#size - 1)
    for (let state = 1; state < this.#size; state++) sorted[increment(ends, this.depthOf(state))] = state
    return sorted
  }
}

function keyOf(state: number, code: number): number {
  return state * 0x1_00_00 + code
}

/** Increments a count. Returns the previous one. */
function increment(counts: Int32Array, index: number): number {
  const count = counts[index] ?? 0
  counts[index] = count + 1
  return count
}
