/** The target of work, and its number of pages if it is a batch or crawl. */
export interface WorkTarget {
  readonly kind: string
  readonly target: string | undefined
  readonly pages: number | undefined
}

/** Describes the target of work. The API names the first URL of a batch. */
export function describeTarget({ kind, target = '', pages = 1 }: WorkTarget): string {
  return kind === 'batch_scrape' && target !== '' && pages > 1 ? `${target} and ${pages - 1} more` : target
}
