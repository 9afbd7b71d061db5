import type { ScrapeResponse } from 'bowline/contract/scrape'
import { useLoaded } from '../api/use-loaded.ts'
import { Back } from '../components/back.tsx'
import { FaultNote } from '../components/fault-note.tsx'
import { Page } from '../components/page.tsx'
import { Waiting } from '../components/waiting.tsx'
import { ScrapeAnswer } from '../playground/scrape-answer.tsx'

/** A scrape of the last 24 hours. */
export function ScrapePage({ id }: { readonly id: string }) {
  const { value, fault, reload } = useLoaded(`scrape ${id}`, async (api, signal) =>
    api.get<ScrapeResponse>(`/v2/scrape/${encodeURIComponent(id)}`, signal),
  )
  return (
    <Page title="Scrape" before={<Back to={['activity']}>Activity</Back>} lead={<code>{id}</code>}>
      <FaultNote fault={fault} onRetry={reload} />
      {value === undefined && fault === undefined && <Waiting />}
      {value !== undefined && (
        <section class="answer">
          <ScrapeAnswer document={value.data} note="" />
        </section>
      )}
    </Page>
  )
}
