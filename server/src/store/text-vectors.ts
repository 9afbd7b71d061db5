import { sql, type Kysely } from 'kysely'
import type { Database } from './schema.ts'
import { standsAlone, joinParts, joinVector, splitText, takeApart, type TextPart } from './text-parts.ts'

/** A text, and the configuration of PostgreSQL to read it by, such as `english`. */
export interface TextToRead {
  readonly configuration: string
  readonly text: string
}

/** Parts remembered at least, some 200 bytes each; twice as many at most. */
const maxKnown = 10_000

/** Longer parts are mostly addresses, which hardly come again. */
const maxKnownLetters = 40

/** Read at once. PostgreSQL counts 255 places of a word, such as the end of a part, and takes a megabyte of words. */
const atOnce = { deps: 250, letters: 50_000 } as const

/**
 * Reads texts into what `to_tsvector` makes of them, in a fraction of the time of the embedded database, whose parser looks
 * at each letter for long: it is asked only for parts of texts that have not been seen lately.
 */
export class TextVectors {
  readonly #db: Kysely<Database>
  #known = new Map<string, TextPart>()
  #knownBefore: ReadonlyMap<string, TextPart> = new Map()

  constructor(db: Kysely<Database>) {
    this.#db = db
  }

  /** The vectors of texts, in the form that PostgreSQL takes. */
  async read(texts: readonly TextToRead[]): Promise<readonly string[]> {
    const fresh = new Map<string, Promise<ReadonlyMap<string, TextPart>>>()
    const split = texts.map(({ configuration, text }) => {
      const key = keysFor(configuration)
      return { configuration, deps: splitText(text).map((part) => this.#recall(key(part)) ?? part) }
    })
    for (const configuration of new Set(texts.map((text) => text.configuration))) {
      const mine = split.filter((each) => each.configuration === configuration)
      const unknown = new Set(mine.flatMap(({ deps }) => deps.filter((part) => typeof part === 'string')))
      fresh.set(configuration, this.#ask(configuration, [...unknown]))
    }
    return Promise.all(
      split.map(async ({ configuration, deps }) => {
        const read = await fresh.get(configuration)
        return joinVector(deps.flatMap((part) => (typeof part === 'string' ? (read?.get(part) ?? []) : part)))
      }),
    )
  }

  #recall(key: string): TextPart | undefined {
    return this.#known.get(key) ?? this.#knownBefore.get(key)
  }

  #remember(key: string, part: TextPart): void {
    if (key.length > maxKnownLetters) return
    if (this.#known.size >= maxKnown) {
      this.#knownBefore = this.#known
      this.#known = new Map()
    }
    // A copy: a piece of a text keeps the whole of it.
    this.#known.set(Buffer.from(key).toString(), part)
  }

  /** Reads parts that are not known yet, and remembers them. */
  async #ask(configuration: string, deps: readonly string[]): Promise<ReadonlyMap<string, TextPart>> {
    const fresh = new Map<string, TextPart>()
    for (let groups = groupsOf(deps); groups.length > 0;) {
      const vectors = await this.#vectorsOf(configuration, groups)
      const unclear: string[] = []
      for (const [index, group] of groups.entries()) {
        const read = takeApart(vectors[index] ?? '', group)
        if (read === undefined) unclear.push(...group)
        for (const [place, part] of read?.entries() ?? []) fresh.set(group[place] ?? '', part)
      }
      // What is read alone is always clear.
      groups = unclear.map((part) => [part])
    }
    const key = keysFor(configuration)
    for (const [part, read] of fresh) this.#remember(key(part), read)
    return fresh
  }

  async #vectorsOf(configuration: string, groups: readonly (readonly string[])[]): Promise<readonly string[]> {
    const { rows } = await sql<{ readonly words: string }>`
      select to_tsvector(${configuration}::regconfig, joined)::text as words
      from unnest(${groups.map(joinParts)}::text[]) with ordinality as list (joined, place) order by place`.execute(
      this.#db,
    )
    return rows.map(({ words }) => words)
  }
}

/** No part has a space. */
function keysFor(configuration: string): (part: string) => string {
  return configuration === 'english' ? (part) => part : (part) => `${part} ${configuration}`
}

function groupsOf(deps: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = []
  let letters = 0
  for (const part of deps) {
    const last = groups.at(-1)
    letters += part.length
    const isFull = last === undefined || last.length >= atOnce.deps || letters > atOnce.letters
    if (!isFull && !standsAlone(part) && !standsAlone(last[0] ?? '')) last.push(part)
    else {
      groups.push([part])
      letters = part.length
    }
  }
  return groups
}
