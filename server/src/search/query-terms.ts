import type { Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'
import { indexKey } from './index-keys.ts'
import { quoteLexeme } from './ts-query.ts'
import { allowedMistakes, sharedLetters, suggestWords } from './spelling.ts'
import {
  findSimilarWords,
  readKeyCounts,
  readWordForms,
  type IndexStatistics,
  type WordForm,
} from './word-count-queries.ts'
import { bigramsOf } from './words.ts'

/** A searched word. */
export interface Term {
  /** Forms of the word in the index, by which pages are ranked. */
  readonly lexemes: readonly string[]
  /** `tsquery` that matches pages with the word. */
  readonly query: string
  /** Position in the query, from 0. */
  readonly position: number
  /** How much the word says about a page: less, the more pages contain it. */
  readonly weight: number
  /** Pages of the team that contain it. */
  readonly pages: number
}

/** The terms of a query, and the words that were replaced by similar ones. */
export interface Terms {
  readonly terms: readonly Term[]
  readonly misspelt: readonly string[]
}

/** The index and the languages in which words are looked up. */
export interface TermScope {
  readonly teamId: string
  readonly statistics: IndexStatistics
  /** Text search configurations. Words that the first one ignores are left out. */
  readonly configurations: readonly string[]
}

/** A word that was corrected says less about a page. */
const correctedShare = 0.7

/** Maximum words of a query that are searched for. The rarest are kept. */
const maxTerms = 16

/**
 * Looks up words of a query. Words that no page contains are replaced by similar ones. Texts in
 * scripts without spaces become a term for each pair of letters.
 */
export async function readTerms(db: Kysely<Database>, words: readonly string[], scope: TermScope): Promise<Terms> {
  if (words.length === 0) return { terms: [], misspelt: [] }
  const pairs = [...new Set(words.flatMap(bigramsOf))].map(indexKey.pair)
  const spaced = [...new Set(words.filter((word) => bigramsOf(word).length === 0))]
  const forms = spaced.length === 0 ? [] : await readWordForms(db, scope.teamId, { ...scope, words: spaced })
  const pairCounts = await readKeyCounts(db, scope.teamId, pairs)
  const misspelt: string[] = []
  const terms = pairs.map((pair, position) =>
    toTerm([{ lexemes: [pair], pages: pairCounts.get(pair) ?? 0 }], position, scope.statistics),
  )
  for (const { word, position, alternatives } of withoutStopWords(groupForms(spaced, forms, scope.configurations))) {
    const isKnown = alternatives.some(({ pages }) => pages > 0)
    const similar = isKnown ? [] : await findSimilar(db, word, alternatives, scope)
    if (similar.length === 0) terms.push(toTerm(alternatives, position, scope.statistics))
    else {
      misspelt.push(word)
      const term = toTerm(similar, position, scope.statistics)
      terms.push({ ...term, weight: term.weight * correctedShare })
    }
  }
  return { terms: terms.toSorted((left, right) => right.weight - left.weight).slice(0, maxTerms), misspelt }
}

/** Lexemes of a word in one text search configuration, all of which belong to it. */
interface Alternative {
  readonly lexemes: readonly string[]
  /** Pages that contain them, at most. */
  readonly pages: number
}

interface GroupedForms {
  readonly word: string
  readonly position: number
  readonly alternatives: readonly Alternative[]
  readonly isStopWord: boolean
}

function groupForms(
  words: readonly string[],
  forms: readonly WordForm[],
  configurations: readonly string[],
): readonly GroupedForms[] {
  return words.map((word, position) => {
    const mine = forms.filter((form) => form.position === position)
    const groups = configurations.map((configuration) => mine.filter((form) => form.configuration === configuration))
    const filled = groups.filter((group) => group.length > 0)
    return {
      word,
      position,
      alternatives: filled.map((group) => ({
        lexemes: group.map(({ lexeme }) => lexeme),
        pages: Math.min(...group.map(({ pages }) => pages)),
      })),
      isStopWord: groups[0]?.length === 0,
    }
  })
}

/** Leaves out words such as "the", unless the query has no others. */
function withoutStopWords(words: readonly GroupedForms[]): readonly GroupedForms[] {
  const telling = words.filter(({ isStopWord, alternatives }) => !isStopWord && alternatives.length > 0)
  return telling.length > 0 ? telling : words.filter(({ alternatives }) => alternatives.length > 0)
}

async function findSimilar(
  db: Kysely<Database>,
  word: string,
  alternatives: readonly Alternative[],
  { teamId, statistics }: TermScope,
): Promise<readonly Alternative[]> {
  const lexemes = alternatives.flatMap((alternative) => alternative.lexemes)
  const forms = [...new Set([word.toLowerCase(), ...lexemes])].filter((form) => allowedMistakes(form) > 0)
  if (forms.length === 0 || statistics.pages === 0) return []
  const lengths = forms.map((form) => form.length)
  const known = await findSimilarWords(db, teamId, {
    starts: [...new Set(forms.map((form) => form.slice(0, sharedLetters(form))))],
    ends: [...new Set(forms.map((form) => form.slice(-sharedLetters(form))))],
    minLetters: Math.min(...lengths) - 2,
    maxLetters: Math.max(...lengths) + 2,
  })
  const suggested = new Set(suggestWords(forms, known))
  return known.flatMap(({ word: lexeme, pages }) => (suggested.has(lexeme) ? [{ lexemes: [lexeme], pages }] : []))
}

function toTerm(
  alternatives: readonly Alternative[],
  position: number,
  { pages: all }: Pick<IndexStatistics, 'pages'>,
): Term {
  const pages = Math.max(0, ...alternatives.map((alternative) => alternative.pages))
  const known = Math.max(all, pages)
  const queries = alternatives.map(({ lexemes }) => lexemes.map(quoteLexeme).join(' & '))
  // Forms that no page contains need not be looked for in each page.
  const ranked = pages === 0 ? alternatives : alternatives.filter((alternative) => alternative.pages > 0)
  return {
    lexemes: [...new Set(ranked.flatMap(({ lexemes }) => lexemes))],
    query: `(${[...new Set(queries)].join(' | ')})`,
    position,
    weight: Math.log(1 + (known - pages + 0.5) / (pages + 0.5)),
    pages,
  }
}
