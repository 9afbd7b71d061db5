import { Badge } from '../components/badge.tsx'
import { formatNumber } from '../components/format.ts'
import { ScrapeResult } from '../playground/scrape-result.tsx'
import { pagesOf, type JobStatus } from './job-calls.ts'
import { describeNoPages } from './job-state.ts'

interface JobPagesProps {
  readonly state: JobStatus
  readonly skip: number
  readonly pageSize: number
  readonly onSkip: (skip: number) => void
}

/** The scraped pages of a job in the order of completion, each collapsible. */
export function JobPages({ state, skip, pageSize, onSkip }: JobPagesProps) {
  const pages = pagesOf(state)
  const done = state.completed ?? 0
  return (
    <section class="block">
      <header class="row spread">
        <h2>Pages</h2>
        {done > pageSize && (
          <div class="row">
            <small>
              {formatNumber(skip + 1)} to {formatNumber(Math.min(done, skip + pageSize))} of {formatNumber(done)}
            </small>
            <button type="button" class="button small" disabled={skip === 0} onClick={() => onSkip(skip - pageSize)}>
              Previous
            </button>
            <button
              type="button"
              class="button small"
              disabled={skip + pageSize >= done}
              onClick={() => onSkip(skip + pageSize)}
            >
              Next
            </button>
          </div>
        )}
      </header>
      {pages.length === 0 && <p class="faint">{describeNoPages(state.status)}</p>}
      <ul class="folds">
        {pages.map((page, at) => (
          <li key={page.metadata.scrapeId ?? at}>
            <details>
              <summary>
                <span class="target">{page.metadata.url ?? page.metadata.sourceURL}</span>
                {page.metadata.statusCode !== undefined && (
                  <Badge tone={page.metadata.statusCode < 400 ? 'good' : 'bad'}>{page.metadata.statusCode}</Badge>
                )}
              </summary>
              <div class="result">
                <ScrapeResult document={page} note="" />
              </div>
            </details>
          </li>
        ))}
      </ul>
    </section>
  )
}
