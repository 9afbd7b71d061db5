/** Letters of East Asian scripts and emoji, which take two columns of a terminal. */
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|[\u{20000}-\u{3FFFD}]/u
const invisible = /^[\p{Mark}\p{Format}]+$/u
const isPlain = /^[ -~…]*$/
/** Created on first use, which takes 20 ms: most commands print no such text. */
let segmenter: Intl.Segmenter | undefined

/** Returns the number of terminal columns of a text without colours and control characters. */
export function textWidth(text: string): number {
  // Segmenting is slow, and most tables are ASCII.
  if (isPlain.test(text)) return text.length
  return lettersOf(text).reduce((width, letter) => width + letterWidth(letter), 0)
}

/** Shortens a text to a number of columns with … in its middle or at its end. */
export function shortenText(text: string, width: number, at: 'middle' | 'end'): string {
  if (textWidth(text) <= width) return text
  const letters = lettersOf(text)
  const endWidth = at === 'end' ? 0 : Math.floor((width - 1) / 2)
  const end = take(letters.toReversed(), endWidth).toReversed().join('')
  return `${take(letters, width - 1 - textWidth(end)).join('')}…${end}`
}

function lettersOf(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter()
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

function take(letters: readonly string[], width: number): readonly string[] {
  let left = width
  const end = letters.findIndex((letter) => {
    left -= letterWidth(letter)
    return left < 0
  })
  return end === -1 ? letters : letters.slice(0, end)
}

function letterWidth(letter: string): number {
  if (invisible.test(letter)) return 0
  return wide.test(letter) ? 2 : 1
}
