import { Field } from './field.tsx'

/** Input for a list with one entry per line. */
export function LinesField({
  label,
  hint,
  placeholder,
  value,
  onChange,
}: {
  readonly label: string
  readonly hint: string
  readonly placeholder: string
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  return (
    <Field label={label} hint={hint}>
      <textarea
        rows={2}
        spellcheck={false}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  )
}
