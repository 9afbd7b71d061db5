import type { ScrapeResponse } from 'bowline/contract/scrape'
import { useLoaded } from '../api/use-loaded.ts'
import { BackLink } from '../components/back-link.tsx'
import { FaultNote } from '../components/fault-note.tsx'
import { Page } from '../components/page.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { ScrapeResult } from '../playground/scrape-result.tsx'

/** A scrape of the last 24 hours. */
export function ScrapePage({ id }: { readonly id: string }) {
  const { value, fault, reload } = useLoaded(`scrape ${id}`, async (api, signal) =>
    api.get<ScrapeResponse>(`/v2/scrape/${encodeURIComponent(id)}`, signal),
  )
  return (
    <Page title="Scrape" before={<BackLink to={['activity']}>Activity</BackLink>} lead={<code>{id}</code>}>
      <FaultNote fault={fault} onRetry={reload} />
      {value === undefined && fault === undefined && <Skeleton />}
      {value !== undefined && (
        <section class="result">
          <ScrapeResult document={value.data} note="" />
        </section>
      )}
    </Page>
  )
}
