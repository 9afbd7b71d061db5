import { Field } from '../components/field.tsx'

/** Name and metadata of a session as entered. */
export interface EnteredLabels {
  readonly name: string
  /** Lines of the form `key=value`. */
  readonly metadata: string
}

interface LabelFieldsProps {
  readonly labels: EnteredLabels
  readonly onChange: (labels: EnteredLabels) => void
}

/** Inputs for the name and the metadata of a session. */
export function LabelFields({ labels, onChange }: LabelFieldsProps) {
  return (
    <>
      <Field label="Name" hint="Shown in lists, bills and the activity.">
        <input
          maxLength={200}
          value={labels.name}
          placeholder="none"
          onInput={(event) => onChange({ ...labels, name: event.currentTarget.value })}
        />
      </Field>
      <Field label="Metadata" hint="One key=value per line. Sessions can be filtered by them.">
        <textarea
          rows={2}
          value={labels.metadata}
          onInput={(event) => onChange({ ...labels, metadata: event.currentTarget.value })}
        />
      </Field>
    </>
  )
}

/** Reads the labels as session options. A line without `=` is a key with an empty value. */
export function readLabels({ name, metadata }: EnteredLabels) {
  const entries = metadata
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [key = '', ...value] = line.split('=')
      return [key.trim(), value.join('=').trim()] as const
    })
  return {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    ...(entries.length === 0 ? {} : { metadata: Object.fromEntries(entries) }),
  }
}
