import { Check, Field } from '../components/field.tsx'
import { inputOf } from '../components/input-of.ts'
import { LinesField } from '../components/lines-field.tsx'
import { NumberField } from '../components/number-field.tsx'
import { FormatFields } from './format-fields.tsx'
import { storedPageAges, type EnteredScrape } from './scrape-options.ts'

interface ScrapeFieldsProps {
  readonly entered: EnteredScrape
  readonly onChange: (changed: Partial<EnteredScrape>) => void
}

interface LoadFieldsProps extends ScrapeFieldsProps {
  /** Pages are always loaded: there is no input for the age of stored ones. Default: false. */
  readonly isFresh?: boolean
}

/** Inputs for all options of the pages of a job or a monitor. */
export function ScrapeFields({ entered, onChange, isFresh = false }: LoadFieldsProps) {
  return (
    <>
      <FormatFields formats={entered.formats} onChange={(formats) => onChange({ formats })} />
      <LoadFields entered={entered} onChange={onChange} isFresh={isFresh} />
      <TagFields entered={entered} onChange={onChange} />
    </>
  )
}

/** Inputs for how a page is loaded, and whether only its main content is returned. */
export function LoadFields({ entered, onChange, isFresh = false }: LoadFieldsProps) {
  const form = { entered, onChange }
  return (
    <>
      <fieldset class="checks">
        <legend class="unseen">Content and device</legend>
        <Check
          label="Main content only"
          isOn={entered.isMainOnly}
          onChange={(isMainOnly) => onChange({ isMainOnly })}
        />
        <Check label="Mobile device" isOn={entered.isMobile} onChange={(isMobile) => onChange({ isMobile })} />
      </fieldset>
      <div class={isFresh ? 'stack' : 'pair'}>
        <NumberField label="Wait after loading (ms)" min={0} max={30_000} step={100} {...inputOf(form, 'waitMs')} />
        {!isFresh && (
          <Field label="Use a stored page">
            <select
              value={entered.maxAgeMs}
              onChange={(event) => onChange({ maxAgeMs: Number(event.currentTarget.value) })}
            >
              {storedPageAges.map(([maxAgeMs, text]) => (
                <option key={maxAgeMs} value={maxAgeMs}>
                  {text}
                </option>
              ))}
            </select>
          </Field>
        )}
      </div>
    </>
  )
}

/** Inputs for the elements of a page that are returned or removed. */
export function TagFields(form: ScrapeFieldsProps) {
  return (
    <>
      <LinesField
        label="Include tags"
        hint="One CSS selector per line. Only matching elements are returned."
        placeholder="article"
        {...inputOf(form, 'includeTags')}
      />
      <LinesField
        label="Exclude tags"
        hint="One CSS selector per line. Matching elements are removed."
        placeholder=".comments"
        {...inputOf(form, 'excludeTags')}
      />
    </>
  )
}
