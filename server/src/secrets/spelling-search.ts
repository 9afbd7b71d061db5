import { PatternAutomaton } from '../kit/pattern-automaton.ts'

/** A part of a spelling at the end or the start of a line. */
export interface CutSpelling {
  readonly length: number
  readonly spelling: string
}

/** Spellings in a text, from its end to its start. */
export interface FoundSpellings {
  readonly starts: readonly number[]
  readonly spellings: readonly string[]
}

/** Shorter parts of a value are not masked, since they can occur by chance. */
const minCutLength = 6

/** Characters that are read in about a millisecond. */
export const charactersPerStep = 32_768

/** Finds spellings of values, and parts of them where a line was cut, in linear time. */
export class SpellingSearch {
  /** Length of the longest spelling. */
  readonly maxLength: number
  readonly #spellings: readonly string[]
  readonly #forwards: PatternAutomaton
  readonly #backwards: PatternAutomaton

  constructor(spellings: readonly string[]) {
    this.#spellings = spellings
    this.#forwards = new PatternAutomaton(spellings, 'forwards')
    this.#backwards = new PatternAutomaton(spellings, 'backwards')
    this.maxLength = this.#forwards.maxLength
  }

  /** Finds the longest spelling that starts at each position. Yields after each part of a text. */
  *findAll(text: string): Generator<undefined, FoundSpellings> {
    const starts: number[] = []
    const spellings: string[] = []
    let state = 0
    for (let at = text.length - 1; at >= 0; at--) {
      state = this.#backwards.next(state, text.charCodeAt(at))
      const match = this.#backwards.matchOf(state)
      if (match !== -1) {
        starts.push(at)
        spellings.push(this.#spellings[match] ?? '')
      }
      if (at % charactersPerStep === 0) yield
    }
    return { starts, spellings }
  }

  /** Finds the longest suffix of a spelling that a line starts with. */
  restAfter(text: string, start: number, end: number): CutSpelling | undefined {
    let state = 0
    for (let at = Math.min(end, start + this.maxLength) - 1; at >= start; at--)
      state = this.#backwards.next(state, text.charCodeAt(at))
    return this.#cutOf(this.#backwards, state)
  }

  /** Finds the longest prefix of a spelling that a line ends with. */
  cutBefore(text: string, start: number, end: number): CutSpelling | undefined {
    let state = 0
    for (let at = Math.max(start, end - this.maxLength); at < end; at++)
      state = this.#forwards.next(state, text.charCodeAt(at))
    return this.#cutOf(this.#forwards, state)
  }

  #cutOf(automaton: PatternAutomaton, state: number): CutSpelling | undefined {
    const length = automaton.depthOf(state)
    if (length < minCutLength) return undefined
    return { length, spelling: this.#spellings[automaton.ownerOf(state)] ?? '' }
  }
}
