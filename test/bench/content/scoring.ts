import { tokenize } from './labels.ts'

/** Precision, recall and F1 over bags of words. */
export interface WordScore {
  readonly f1: number
  readonly precision: number
  readonly recall: number
}

/** Scores text against the labelled content, as the WCXB benchmark does. */
export function scoreWords(given: string, truth: string): WordScore {
  const left = tokenize(given)
  const right = tokenize(truth)
  if (right.length === 0)
    return left.length === 0 ? { f1: 1, precision: 1, recall: 1 } : { f1: 0, precision: 0, recall: 0 }
  if (left.length === 0) return { f1: 0, precision: 0, recall: 0 }
  const counts = new Map<string, number>()
  for (const word of right) counts.set(word, (counts.get(word) ?? 0) + 1)
  let hits = 0
  for (const word of left) {
    const count = counts.get(word) ?? 0
    if (count === 0) continue
    hits++
    counts.set(word, count - 1)
  }
  const precision = hits / left.length
  const recall = hits / right.length
  return { precision, recall, f1: hits === 0 ? 0 : (2 * precision * recall) / (precision + recall) }
}

/** Markdown without its marks, addresses and images: the text that a reader sees. */
export function toText(markdown: string): string {
  const lines: string[] = []
  let fence = ''
  for (const line of markdown.split('\n')) {
    const opened = /^\s*(?:>\s*)*(?:[-*+]\s+|\d+\.\s+)?(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== '') {
      if (opened?.startsWith(fence) === true) fence = ''
      else lines.push(line)
    } else if (opened === undefined) lines.push(withoutMarks(line))
    else fence = opened
  }
  return lines.join('\n')
}

function withoutMarks(line: string): string {
  return line
    .replace(/<\/?[a-zA-Z][^<>]*>/g, ' ')
    .replace(/!\[(?:\\.|[^\]\\])*\]\((?:\\.|[^()\\]|\([^()]*\))*\)/g, ' ')
    .replace(/\[((?:\\.|!?\[[^\]]*\]|[^[\]\\])*)\]\((?:\\.|[^()\\\s]|\([^()]*\))*(?:\s+"[^"]*")?\s*\)/g, '$1')
    .replace(/(^|[^\p{L}\p{N}_])_{1,3}(?=\S)/gu, '$1')
    .replace(/\*{1,3}|~~/g, '')
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~&])/g, '$1')
}
