import { decodePercent } from '../kit/decode-percent.ts'
import { wordsOf } from '../kit/words-of.ts'

/** The words of a URL after percent-decoding. */
export function wordsOfUrl(url: string): readonly string[] {
  return wordsOf(decodePercent(url.replace(/^https?:\/\//i, '')))
}

/** The host of a URL and its parent domains: `docs.example.com`, `example.com`, `com`. */
export function domainsOf(url: string): readonly string[] {
  const host = URL.parse(url)?.hostname ?? ''
  if (/^[\d.]+$|^\[/.test(host)) return [host]
  const labels = host.split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{2,}/gu

/**
 * Pairs of neighbouring letters of text in scripts without spaces between words, such as Chinese,
 * Japanese and Thai, once for each occurrence.
 */
export function pairsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(unspaced), ([run]) => Array.from(run)).flatMap((letters) =>
    letters.slice(1).map((letter, index) => `${letters[index]}${letter}`),
  )
}

/** The distinct pairs of `pairsOf`. */
export function bigramsOf(text: string): readonly string[] {
  return [...new Set(pairsOf(text))]
}
