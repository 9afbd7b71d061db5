import { sql, type Kysely } from 'kysely'
import type { Database } from './schema.ts'
import { needsOwnVector, joinChunks, joinVector, splitText, splitVector, type TextChunk } from './text-chunks.ts'

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
const atOnce = { chunks: 250, letters: 50_000 } as const

/**
 * Reads texts into what `to_tsvector` makes of them, in a fraction of the time of the embedded database, whose parser looks
 * at each letter for long: it is asked only for parts of texts that have not been seen lately.
 */
export class TextVectors {
  readonly #db: Kysely<Database>
  #known = new Map<string, TextChunk>()
  #knownBefore: ReadonlyMap<string, TextChunk> = new Map()

  constructor(db: Kysely<Database>) {
    this.#db = db
  }

  /** The vectors of texts, in the form that PostgreSQL takes. */
  async read(texts: readonly TextToRead[]): Promise<readonly string[]> {
    const fresh = new Map<string, Promise<ReadonlyMap<string, TextChunk>>>()
    const split = texts.map(({ configuration, text }) => {
      const key = keysFor(configuration)
      return { configuration, chunks: splitText(text).map((chunk) => this.#recall(key(chunk)) ?? chunk) }
    })
    for (const configuration of new Set(texts.map((text) => text.configuration))) {
      const mine = split.filter((each) => each.configuration === configuration)
      const unknown = new Set(mine.flatMap(({ chunks }) => chunks.filter((chunk) => typeof chunk === 'string')))
      fresh.set(configuration, this.#ask(configuration, [...unknown]))
    }
    return Promise.all(
      split.map(async ({ configuration, chunks }) => {
        const read = await fresh.get(configuration)
        return joinVector(chunks.flatMap((chunk) => (typeof chunk === 'string' ? (read?.get(chunk) ?? []) : chunk)))
      }),
    )
  }

  #recall(key: string): TextChunk | undefined {
    return this.#known.get(key) ?? this.#knownBefore.get(key)
  }

  #remember(key: string, chunk: TextChunk): void {
    if (key.length > maxKnownLetters) return
    if (this.#known.size >= maxKnown) {
      this.#knownBefore = this.#known
      this.#known = new Map()
    }
    // A copy: a piece of a text keeps the whole of it.
    this.#known.set(Buffer.from(key).toString(), chunk)
  }

  /** Reads parts that are not known yet, and remembers them. */
  async #ask(configuration: string, chunks: readonly string[]): Promise<ReadonlyMap<string, TextChunk>> {
    const fresh = new Map<string, TextChunk>()
    for (let groups = groupsOf(chunks); groups.length > 0;) {
      const vectors = await this.#vectorsOf(configuration, groups)
      const unclear: string[] = []
      for (const [index, group] of groups.entries()) {
        const read = splitVector(vectors[index] ?? '', group)
        if (read === undefined) unclear.push(...group)
        for (const [position, chunk] of read?.entries() ?? []) fresh.set(group[position] ?? '', chunk)
      }
      // What is read alone is always clear.
      groups = unclear.map((chunk) => [chunk])
    }
    const key = keysFor(configuration)
    for (const [chunk, read] of fresh) this.#remember(key(chunk), read)
    return fresh
  }

  async #vectorsOf(configuration: string, groups: readonly (readonly string[])[]): Promise<readonly string[]> {
    const { rows } = await sql<{ readonly words: string }>`
      select to_tsvector(${configuration}::regconfig, joined)::text as words
      from unnest(${groups.map(joinChunks)}::text[]) with ordinality as list (joined, place) order by place`.execute(
      this.#db,
    )
    return rows.map(({ words }) => words)
  }
}

/** No part has a space. */
function keysFor(configuration: string): (chunk: string) => string {
  return configuration === 'english' ? (chunk) => chunk : (chunk) => `${chunk} ${configuration}`
}

function groupsOf(chunks: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = []
  let letters = 0
  for (const chunk of chunks) {
    const last = groups.at(-1)
    letters += chunk.length
    const isFull = last === undefined || last.length >= atOnce.chunks || letters > atOnce.letters
    if (!isFull && !needsOwnVector(chunk) && !needsOwnVector(last[0] ?? '')) last.push(chunk)
    else {
      groups.push([chunk])
      letters = chunk.length
    }
  }
  return groups
}
