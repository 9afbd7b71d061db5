import { Check } from '../components/field.tsx'
import { Fold } from '../components/fold.tsx'
import { inputOf } from '../components/input-of.ts'
import { LinesField } from '../components/lines-field.tsx'
import { OptionalNumberField } from '../components/number-field.tsx'
import { WebhookField } from '../components/url-fields.tsx'
import { ScrapeFields } from '../playground/scrape-fields.tsx'
import { SitemapField } from '../playground/sitemap-field.tsx'
import type { PageJobKind } from './job-calls.ts'
import type { EnteredJob } from './job-options.ts'

interface JobFieldsProps {
  readonly entered: EnteredJob
  readonly onChange: (changed: Partial<EnteredJob>) => void
}

/** Inputs for the options of a job and its pages, folded away. */
export function JobFields({ kind, entered, onChange }: JobFieldsProps & { readonly kind: PageJobKind }) {
  const form = { entered, onChange }
  const { scrape } = entered
  return (
    <Fold title="Options">
      <ScrapeFields entered={scrape} onChange={(changed) => onChange({ scrape: { ...scrape, ...changed } })} />
      {kind === 'crawl' && <CrawlFields entered={entered} onChange={onChange} />}
      <div class="pair">
        <OptionalNumberField
          label="Max concurrency"
          placeholder="server default"
          min={1}
          max={10_000}
          {...inputOf(form, 'maxConcurrency')}
        />
        {kind === 'crawl' && (
          <OptionalNumberField
            label="Delay (s)"
            placeholder="none"
            min={0}
            max={600}
            step="any"
            {...inputOf(form, 'delay')}
          />
        )}
      </div>
      {kind === 'batch_scrape' && (
        <Check
          label="Skip invalid URLs and start with the others"
          isOn={entered.skipsInvalid}
          onChange={(skipsInvalid) => onChange({ skipsInvalid })}
        />
      )}
      <WebhookField
        hint="Receives an event at the start, for each page and at the end."
        {...inputOf(form, 'webhook')}
      />
    </Fold>
  )
}

function CrawlFields(form: JobFieldsProps) {
  const { entered, onChange } = form
  return (
    <>
      <LinesField
        label="Include paths"
        hint="One regular expression per line. Only matching pages are scraped."
        placeholder="^/blog/"
        {...inputOf(form, 'includePaths')}
      />
      <LinesField
        label="Exclude paths"
        hint="One regular expression per line. Matching pages are skipped."
        placeholder="^/admin"
        {...inputOf(form, 'excludePaths')}
      />
      <div class="pair">
        <OptionalNumberField
          label="Max link depth"
          placeholder="no limit"
          min={0}
          max={1000}
          {...inputOf(form, 'maxDepth')}
        />
        <SitemapField {...inputOf(form, 'sitemap')} />
      </div>
      <fieldset class="checks">
        <legend class="unseen">Followed links</legend>
        <Check
          label="Entire domain"
          isOn={entered.isEntireDomain}
          onChange={(isEntireDomain) => onChange({ isEntireDomain })}
        />
        <Check
          label="Subdomains"
          isOn={entered.followsSubdomains}
          onChange={(followsSubdomains) => onChange({ followsSubdomains })}
        />
      </fieldset>
    </>
  )
}
