import type { Target } from 'bowline/contract/monitors'
import { uuidV7 } from 'bowline/kit/ids'
import type { KnownTarget } from './definition.ts'

/** Gives targets their ids: the one they came with, else that of the old target with the same addresses, so that its pages are still compared. */
export function nameTargets(targets: readonly Target[], old: readonly KnownTarget[] = []): readonly KnownTarget[] {
  const taken = new Set(targets.map(({ id }) => id))
  return targets.map((target) => {
    const twin = old.find((each) => !taken.has(each.id) && addressesOf(each) === addressesOf(target))
    const id = target.id ?? twin?.id ?? uuidV7()
    taken.add(id)
    return { ...target, id }
  })
}

function addressesOf(target: Target): string {
  const { type } = target
  return JSON.stringify([type, type === 'scrape' ? target.urls : type === 'crawl' ? target.url : target.queries])
}
