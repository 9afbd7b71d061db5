import { useLoaded } from '../frame/use-loaded.ts'
import { BackLink } from '../frame/back-link.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { Page } from '../components/page.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { ScrapeResult } from '../playground/scrape-result.tsx'

/** A scrape of the last 24 hours. */
export function ScrapePage({ id }: { readonly id: string }) {
  const { value, apiError, reload } = useLoaded(`scrape ${id}`, async (api, signal) =>
    api.call('getScrape', { params: { id } }, signal),
  )
  return (
    <Page title="Scrape" before={<BackLink to={['activity']}>Activity</BackLink>} lead={<code>{id}</code>}>
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value !== undefined && (
        <section class="result">
          <ScrapeResult document={value.data} note="" />
        </section>
      )}
    </Page>
  )
}
