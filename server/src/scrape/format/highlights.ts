import { z } from 'zod'
import type { Abortable } from 'bowline/kit/abort'
import { wordsOf } from '../../kit/words-of.ts'
import { extractJson, maxCharacters, type LanguageModel } from './language-model.ts'

/** A page, and the query that its highlights match. */
export interface HighlightRequest extends Abortable {
  readonly markdown: string
  readonly query: string
}

/** Maximum number of passages in the highlights of a page. */
const maxPassages = 5

/**
 * Returns the passages of a page that best match a query, word for word and in the order of the
 * page, separated by blank lines. A language model selects them if there is one, otherwise their
 * words do. '' if no passage matches. Throws EXTRACTION_FAILED or the signal's reason.
 */
export async function highlightPassages(model: LanguageModel | undefined, request: HighlightRequest): Promise<string> {
  const passages = splitPassages(request.markdown.slice(0, maxCharacters))
  const chosen = model === undefined ? rankPassages(passages, request.query) : await askFor(model, passages, request)
  return chosen
    .slice(0, maxPassages)
    .toSorted((left, right) => left - right)
    .map((index) => passages[index])
    .join('\n\n')
}

/**
 * Splits Markdown at blank lines. Code blocks stay whole, and headings precede their first passage.
 */
export function splitPassages(markdown: string): readonly string[] {
  const passages: string[] = []
  let lines: string[] = []
  let fence: string | undefined
  const end = (): void => {
    if (lines.length > 0 && !lines.every((line) => line === '' || isHeading(line))) {
      passages.push(lines.join('\n'))
      lines = []
    }
  }
  for (const line of markdown.split('\n')) {
    const marker = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined && isHeading(line)) {
      end()
      // Of several headings in a row, the last one is about the passage.
      lines = [line, '']
    } else if (fence === undefined && line.trim() === '') end()
    else lines.push(line)
    if (fence === undefined) fence = marker
    else if (marker?.startsWith(fence) === true && line.trim() === marker) fence = undefined
  }
  end()
  return passages
}

function isHeading(line: string): boolean {
  return /^#{1,6} /.test(line)
}

const schema = {
  type: 'object',
  properties: { passages: { type: 'array', items: { type: 'integer' } } },
  required: ['passages'],
}

const selection = z.looseObject({ passages: z.array(z.int()) })

async function askFor(
  model: LanguageModel,
  passages: readonly string[],
  { query, signal }: HighlightRequest,
): Promise<readonly number[]> {
  if (passages.length === 0) return []
  const markdown = passages.map((text, index) => `[${index}] ${text}`).join('\n\n')
  const prompt = `Return the numbers of at most ${maxPassages} passages that say most about: ${query}`
  const answer = await extractJson(model, { markdown, schema, prompt, signal })
  const parsed = selection.safeParse(answer)
  // Numbers that do not exist, as a model may invent them, are left out.
  return parsed.success ? [...new Set(parsed.data.passages)].filter((index) => passages[index] !== undefined) : []
}

/** The time of a ranking grows with the words of its query. */
const maxQueryWords = 64

/** BM25, with its usual constants. */
const [saturation, lengthWeight] = [1.2, 0.75]

/** Returns the indexes of the passages with words of the query, best first. */
export function rankPassages(passages: readonly string[], query: string): readonly number[] {
  const bags = passages.map((text) => wordsOf(text))
  const average = bags.reduce((sum, bag) => sum + bag.length, 0) / Math.max(1, bags.length)
  const scores = passages.map(() => 0)
  for (const word of new Set(wordsOf(query).slice(0, maxQueryWords))) {
    const counts = bags.map((bag) => bag.filter((each) => isSameWord(each, word)).length)
    const found = counts.filter((count) => count > 0).length
    const rarity = Math.log(1 + (bags.length - found + 0.5) / (found + 0.5))
    for (const [index, count] of counts.entries()) {
      const length = 1 - lengthWeight + (lengthWeight * (bags[index]?.length ?? 0)) / average
      scores[index] = (scores[index] ?? 0) + (rarity * count * (saturation + 1)) / (count + saturation * length || 1)
    }
  }
  return [...scores.keys()]
    .filter((index) => (scores[index] ?? 0) > 0)
    .toSorted((left, right) => (scores[right] ?? 0) - (scores[left] ?? 0))
}

/** Whether two words are the same but for an ending, such as of a plural. */
function isSameWord(left: string, right: string): boolean {
  if (left === right) return true
  const [short, long] = left.length < right.length ? [left, right] : [right, left]
  return short.length >= 4 && long.length - short.length <= 2 && long.startsWith(short)
}
