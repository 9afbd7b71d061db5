import { Check, Field } from '../components/field.tsx'
import { Fold } from '../components/fold.tsx'
import { LinesField } from '../components/lines-field.tsx'
import { FormatFields } from '../playground/format-fields.tsx'
import { LoadFields, TagFields } from '../playground/scrape-fields.tsx'
import { sitemapModes } from '../playground/sitemap-modes.ts'
import type { PageJobKind } from './job-calls.ts'
import type { EnteredJob } from './job-options.ts'

interface JobFieldsProps {
  readonly entered: EnteredJob
  readonly onChange: (changed: Partial<EnteredJob>) => void
}

/** Inputs for the options of a job and its pages, folded away. */
export function JobFields({ kind, entered, onChange }: JobFieldsProps & { readonly kind: PageJobKind }) {
  const { scrape } = entered
  const changeScrape = (changed: Partial<EnteredJob['scrape']>): void => onChange({ scrape: { ...scrape, ...changed } })
  return (
    <Fold title="Options">
      <FormatFields formats={scrape.formats} onChange={(formats) => changeScrape({ formats })} />
      <LoadFields entered={scrape} onChange={changeScrape} />
      <TagFields entered={scrape} onChange={changeScrape} />
      {kind === 'crawl' && <CrawlFields entered={entered} onChange={onChange} />}
      <div class="pair">
        <NumberInput
          label="Max concurrency"
          placeholder="server default"
          min={1}
          max={10_000}
          value={entered.maxConcurrency}
          onChange={(maxConcurrency) => onChange({ maxConcurrency })}
        />
        {kind === 'crawl' && (
          <NumberInput
            label="Delay (s)"
            placeholder="none"
            min={0}
            max={600}
            step="any"
            value={entered.delay}
            onChange={(delay) => onChange({ delay })}
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
      <Field label="Webhook" hint="Receives an event at the start, for each page and at the end.">
        <input
          inputMode="url"
          placeholder="none"
          value={entered.webhook}
          onInput={(event) => onChange({ webhook: event.currentTarget.value })}
        />
      </Field>
    </Fold>
  )
}

function CrawlFields({ entered, onChange }: JobFieldsProps) {
  return (
    <>
      <LinesField
        label="Include paths"
        hint="One regular expression per line. Only matching pages are scraped."
        placeholder="^/blog/"
        value={entered.includePaths}
        onChange={(includePaths) => onChange({ includePaths })}
      />
      <LinesField
        label="Exclude paths"
        hint="One regular expression per line. Matching pages are skipped."
        placeholder="^/admin"
        value={entered.excludePaths}
        onChange={(excludePaths) => onChange({ excludePaths })}
      />
      <div class="pair">
        <NumberInput
          label="Max link depth"
          placeholder="no limit"
          min={0}
          max={1000}
          value={entered.maxDepth}
          onChange={(maxDepth) => onChange({ maxDepth })}
        />
        <Field label="Find pages in">
          <select
            value={entered.sitemap}
            onChange={(event) => onChange({ sitemap: event.currentTarget.value as EnteredJob['sitemap'] })}
          >
            {Object.entries(sitemapModes).map(([mode, text]) => (
              <option key={mode} value={mode}>
                {text}
              </option>
            ))}
          </select>
        </Field>
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

interface NumberInputProps {
  readonly label: string
  /** The default, shown while the input is empty. */
  readonly placeholder: string
  readonly min: number
  readonly max: number
  readonly step?: number | 'any'
  readonly value: string
  readonly onChange: (value: string) => void
}

/** An input for a number that can stay empty. */
function NumberInput({ label, onChange, ...attributes }: NumberInputProps) {
  return (
    <Field label={label}>
      <input type="number" {...attributes} onInput={(event) => onChange(event.currentTarget.value)} />
    </Field>
  )
}
