import { parseJsonObject } from 'bowline/kit/parse-json'
import { Check, CheckedText, Field } from '../components/field.tsx'
import { Fold } from '../components/fold.tsx'
import { formatTitles, readAttributes, type EnteredFormats, type FormatName } from './formats.ts'

/** Formats that need neither options nor a language model. */
const common: readonly FormatName[] = [
  'markdown',
  'html',
  'rawHtml',
  'links',
  'images',
  'screenshot',
  'product',
  'branding',
]

const special = (Object.keys(formatTitles) as FormatName[]).filter((name) => !common.includes(name))

interface FormatFieldsProps {
  readonly formats: EnteredFormats
  readonly onChange: (formats: EnteredFormats) => void
}

/** Inputs for the formats of a scrape and their options. */
export function FormatFields({ formats, onChange }: FormatFieldsProps) {
  const checks = (names: readonly FormatName[]) =>
    names.map((name) => (
      <Check
        key={name}
        label={formatTitles[name]}
        isOn={formats.names.includes(name)}
        onChange={(isOn) =>
          onChange({
            ...formats,
            names: isOn ? [...formats.names, name] : formats.names.filter((each) => each !== name),
          })
        }
      />
    ))
  return (
    <>
      <fieldset class="checks">
        <legend>Formats</legend>
        {checks(common)}
      </fieldset>
      {formats.names.includes('screenshot') && (
        <Check
          label="Full page, not only the visible part"
          isOn={formats.isFullPage}
          onChange={(isFullPage) => onChange({ ...formats, isFullPage })}
        />
      )}
      <Fold title="More formats">
        <fieldset class="checks">
          <legend class="unseen">More formats</legend>
          {checks(special)}
        </fieldset>
        <small>Summary, JSON and Question require a language model on the server.</small>
        <FormatOptions formats={formats} onChange={onChange} />
      </Fold>
    </>
  )
}

/** Inputs for the options of the chosen formats. */
function FormatOptions({ formats, onChange }: FormatFieldsProps) {
  const has = (name: FormatName): boolean => formats.names.includes(name)
  const input = (name: 'prompt' | 'question' | 'highlights', isRequired: boolean) => (
    <input
      required={isRequired}
      value={formats[name]}
      onInput={(event) => onChange({ ...formats, [name]: event.currentTarget.value })}
    />
  )
  return (
    <>
      {has('attributes') && (
        <CheckedText
          label="Attributes to read"
          hint="One per line: a CSS selector and an attribute, such as a.next href"
          isRequired
          value={formats.attributes}
          problem={
            readAttributes(formats.attributes).some(({ attribute }) => attribute === '')
              ? 'Enter a selector and an attribute in each line, such as a.next href'
              : ''
          }
          onChange={(attributes) => onChange({ ...formats, attributes })}
        />
      )}
      {has('json') && (
        <>
          <Field label="Prompt for JSON" hint="Optional. For example: the prices with their currencies.">
            {input('prompt', false)}
          </Field>
          <CheckedText
            label="JSON Schema"
            hint="Optional. Without it, the model chooses the fields."
            value={formats.schema}
            problem={
              formats.schema.trim() === '' || parseJsonObject(formats.schema) !== undefined ? '' : 'Enter a JSON object'
            }
            onChange={(schema) => onChange({ ...formats, schema })}
          />
        </>
      )}
      {has('question') && <Field label="Question about the page">{input('question', true)}</Field>}
      {has('highlights') && (
        <Field label="Highlights of" hint="Returns the passages that match.">
          {input('highlights', true)}
        </Field>
      )}
    </>
  )
}
