import type { Target } from 'bowline/contract/monitors'
import { uuidV7 } from 'bowline/kit/ids'
import type { StoredTarget } from './definition.ts'

/**
 * Assigns ids to targets: the given one, else that of the old target with the same URLs, so that
 * its pages keep their baseline.
 */
export function assignTargetIds(
  targets: readonly Target[],
  old: readonly StoredTarget[] = [],
): readonly StoredTarget[] {
  const usedIds = new Set(targets.map(({ id }) => id))
  return targets.map((target) => {
    const match = old.find((each) => !usedIds.has(each.id) && sourceOf(each) === sourceOf(target))
    const id = target.id ?? match?.id ?? uuidV7()
    usedIds.add(id)
    return { ...target, id }
  })
}

function sourceOf(target: Target): string {
  const { type } = target
  return JSON.stringify([type, type === 'scrape' ? target.urls : type === 'crawl' ? target.url : target.queries])
}
