import { formatNumber } from './format.ts'

/** Shows how many URLs a batch has beside the first one. Renders nothing if there are none. */
export function AndMore({ pages = 1 }: { readonly pages?: number | undefined }) {
  return pages > 1 ? <small>and {formatNumber(pages - 1)} more</small> : null
}
