/**
 * Estimates the tokens that a language model reads for a text. Words of up to six letters, three
 * digits and single other characters count as one token each, which is slightly above what common
 * tokenizers need for English.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (const [part] of text.matchAll(/[A-Za-z]+|\d+|[^\sA-Za-z\d]/g)) tokens += tokensOf(part)
  return tokens
}

function tokensOf(part: string): number {
  const first = part.charCodeAt(0)
  if (first >= 48 && first <= 57) return Math.ceil(part.length / 3)
  return Math.ceil(part.length / 6)
}

/** Cuts a text at its end, or at its start, to about `maxTokens`, and says so. */
export function cutToTokens(text: string, maxTokens: number, cutAt: 'start' | 'end' = 'end'): string {
  let kept = text
  for (let tokens = estimateTokens(kept); tokens > maxTokens; tokens = estimateTokens(kept)) {
    const length = Math.floor(kept.length * Math.min(0.95, maxTokens / tokens))
    kept = cutAt === 'end' ? kept.slice(0, length) : kept.slice(-length)
  }
  if (kept.length === text.length) return text
  const note = `… (${text.length - kept.length} more characters)`
  return cutAt === 'end' ? `${kept}${note}` : `${note}${kept}`
}
