import { headingLevel, overlap, type Layout } from './layout.ts'
import { flag, log } from './numbers.ts'
import type { ElementContext } from './element-context.ts'

/** Texts of a page in the same kind of place, such as all titles of its cards. */
export interface Alike {
  readonly first: number
  last: number
  count: number
  words: number
  linkWords: number
}

/** The names and classes of an element and its two nearest ancestors. */
function lookOf(place: ElementContext): string {
  let look = ''
  let up: ElementContext | undefined = place
  for (let step = 0; step < 3 && up !== undefined; step++, up = up.parent) {
    look += `>${up.element.name}.${(up.element.attribs['class'] ?? '').replace(/\d+/g, '')}`
  }
  return look
}

/** For every text, those in the same kind of place. */
export function findAlike(layout: Layout): readonly Alike[] {
  const byLook = new Map<string, Alike>()
  return layout.places.map((place, index) => {
    const look = lookOf(place)
    const alike = byLook.get(look) ?? { first: index, last: index, count: 0, words: 0, linkWords: 0 }
    byLook.set(look, alike)
    const fact = layout.facts[index]
    alike.last = index
    alike.count++
    alike.words += fact?.words ?? 0
    alike.linkWords += (fact?.words ?? 0) * (fact?.linkShare ?? 0)
    return alike
  })
}

/** What the texts in the same kind of place are like. */
export function alikeFeatures(layout: Layout, index: number, all: readonly Alike[]): number[] {
  const alike = all[index]
  if (alike === undefined) return []
  const leaves = layout.leaves.length
  return [
    log(alike.count),
    log(alike.words),
    log(alike.words / alike.count),
    alike.linkWords / Math.max(1, alike.words),
    alike.words / Math.max(1, layout.total.words),
    alike.first / leaves,
    (alike.last - alike.first) / leaves,
  ]
}

/** For every text, the index of the last heading at or before it; -1 = none. */
export function headingsAbove(layout: Layout): readonly number[] {
  let last = -1
  return layout.places.map((place, index) => {
    const isHeading =
      headingLevel(place.element) > 0 || /(^|[-_ ])(heading|title)($|[-_ ])/i.test(place.element.attribs['class'] ?? '')
    if (isHeading) last = index
    return last
  })
}

const asideHeading =
  /related|recommend|similar|also (like|bought|view)|you may|you might|more (from|in|on|like|stories|articles|posts)|popular|trending|latest|recent|newsletter|subscribe|sign up|share|follow|categor|archive|tags|navigation|menu|about us|contact|connect|quick links|resources|company|support|keep reading|read next|up next|filter|sort|cart|cookie|privacy|download|footer|customers? also|frequently bought|sponsored/i

const reviewHeading = /review|comment|repl|response|rating|questions|answers|testimonial/i

/** What the heading above a text says. */
export function headingFeatures(layout: Layout, index: number, above: readonly number[]): number[] {
  const at = above[index] ?? -1
  const leaf = layout.leaves[at]
  const fact = layout.facts[at]
  const place = layout.places[at]
  if (leaf === undefined || fact === undefined || place === undefined) return [99, 0, 0, 0, 0, 0, 0]
  return [
    Math.min(99, index - at),
    headingLevel(place.element),
    flag(asideHeading.test(leaf.text)),
    flag(reviewHeading.test(leaf.text)),
    overlap(fact.distinctWords, layout.page.titleWords),
    log(fact.words),
    fact.linkShare,
  ]
}
