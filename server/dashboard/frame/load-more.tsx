import type { Pages } from './use-pages.ts'

/** The button below a list that has more rows. */
export function LoadMore({
  pages: { more, isLoadingMore },
}: {
  readonly pages: Pick<Pages<never>, 'more' | 'isLoadingMore'>
}) {
  return more === undefined ? null : (
    <button type="button" class="button" disabled={isLoadingMore} onClick={more}>
      {isLoadingMore ? 'Loading…' : 'Load more'}
    </button>
  )
}
