import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'
import { needsOwnVector, joinChunks, joinVector, splitText, splitVector, type TextChunk } from './text-chunks.ts'

/** A text and the PostgreSQL text search configuration to parse it with, such as `english`. */
export interface TextToRead {
  readonly configuration: string
  readonly text: string
}

/** Size of a cache generation, of which there are two. An entry takes about 200 bytes. */
const maxCached = 10_000

/** Longer chunks are not cached: they are mostly URLs, which rarely repeat. */
const maxCachedLength = 40

/**
 * Limits per vector. A `tsvector` has at most 255 positions per lexeme, such as the separator, and
 * a megabyte of lexemes.
 */
const groupLimits = { chunks: 250, letters: 50_000 } as const

/**
 * Computes the same vectors as `to_tsvector`, in a fraction of the time of the embedded database,
 * whose parser is slow: caches the lexemes of chunks and queries the database only for new ones.
 */
export class TsVectors {
  readonly #db: Kysely<Database>
  #cache = new Map<string, TextChunk>()
  #previousCache: ReadonlyMap<string, TextChunk> = new Map()

  constructor(db: Kysely<Database>) {
    this.#db = db
  }

  /** Returns the vectors of texts in the text form of a `tsvector`. */
  async read(texts: readonly TextToRead[]): Promise<readonly string[]> {
    const fresh = new Map<string, Promise<ReadonlyMap<string, TextChunk>>>()
    const split = texts.map(({ configuration, text }) => {
      const key = keysFor(configuration)
      return { configuration, chunks: splitText(text).map((chunk) => this.#findCached(key(chunk)) ?? chunk) }
    })
    for (const configuration of new Set(texts.map((text) => text.configuration))) {
      const mine = split.filter((each) => each.configuration === configuration)
      const unknown = new Set(mine.flatMap(({ chunks }) => chunks.filter((chunk) => typeof chunk === 'string')))
      fresh.set(configuration, this.#parse(configuration, [...unknown]))
    }
    return Promise.all(
      split.map(async ({ configuration, chunks }) => {
        const read = await fresh.get(configuration)
        return joinVector(chunks.flatMap((chunk) => (typeof chunk === 'string' ? (read?.get(chunk) ?? []) : chunk)))
      }),
    )
  }

  #findCached(key: string): TextChunk | undefined {
    return this.#cache.get(key) ?? this.#previousCache.get(key)
  }

  #addToCache(key: string, chunk: TextChunk): void {
    if (key.length > maxCachedLength) return
    if (this.#cache.size >= maxCached) {
      this.#previousCache = this.#cache
      this.#cache = new Map()
    }
    // Copies the key, as a slice would keep the whole text in memory.
    this.#cache.set(Buffer.from(key).toString(), chunk)
  }

  /** Parses chunks in the database and caches them. */
  async #parse(configuration: string, chunks: readonly string[]): Promise<ReadonlyMap<string, TextChunk>> {
    const fresh = new Map<string, TextChunk>()
    for (let groups = groupsOf(chunks); groups.length > 0;) {
      const vectors = await this.#vectorsOf(configuration, groups)
      const ambiguous: string[] = []
      for (const [index, group] of groups.entries()) {
        const read = splitVector(vectors[index] ?? '', group)
        if (read === undefined) ambiguous.push(...group)
        for (const [position, chunk] of read?.entries() ?? []) fresh.set(group[position] ?? '', chunk)
      }
      // A chunk that is parsed alone is never ambiguous.
      groups = ambiguous.map((chunk) => [chunk])
    }
    const key = keysFor(configuration)
    for (const [chunk, read] of fresh) this.#addToCache(key(chunk), read)
    return fresh
  }

  async #vectorsOf(configuration: string, groups: readonly (readonly string[])[]): Promise<readonly string[]> {
    const { rows } = await sql<{ readonly words: string }>`
      select to_tsvector(${configuration}::regconfig, joined)::text as words
      from unnest(${groups.map(joinChunks)}::text[]) with ordinality as list (joined, position) order by position`.execute(
      this.#db,
    )
    return rows.map(({ words }) => words)
  }
}

/** Returns a function that makes cache keys. They are unambiguous, as chunks contain no spaces. */
function keysFor(configuration: string): (chunk: string) => string {
  return configuration === 'english' ? (chunk) => chunk : (chunk) => `${chunk} ${configuration}`
}

function groupsOf(chunks: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = []
  let letters = 0
  for (const chunk of chunks) {
    const last = groups.at(-1)
    letters += chunk.length
    const isFull = last === undefined || last.length >= groupLimits.chunks || letters > groupLimits.letters
    if (!isFull && !needsOwnVector(chunk) && !needsOwnVector(last[0] ?? '')) last.push(chunk)
    else {
      groups.push([chunk])
      letters = chunk.length
    }
  }
  return groups
}
