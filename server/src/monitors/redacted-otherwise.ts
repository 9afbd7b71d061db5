import { redactionOf, redactPii } from 'bowline/contract/redaction'
import type { StoredTarget } from './definition.ts'

/**
 * Returns the ids of targets whose redaction differs from that of the old target. Their stored
 * texts cannot be compared with the next ones, and may contain what is to be redacted.
 */
export function redactedOtherwise(old: readonly StoredTarget[], targets: readonly StoredTarget[]): readonly string[] {
  const before = new Map(old.map((target) => [target.id, redactionText(target)]))
  return targets
    .filter((target) => before.has(target.id) && before.get(target.id) !== redactionText(target))
    .map(({ id }) => id)
}

function redactionText(target: StoredTarget): string | undefined {
  if (target.type === 'search') return undefined
  const { data } = redactPii.safeParse(target.scrapeOptions?.['redactPII'])
  return JSON.stringify(redactionOf(data))
}
