import { useState } from 'preact/hooks'
import { Field } from './field.tsx'

interface RangeProps {
  readonly label: string
  readonly min: number
  readonly max: number
  /** Default: 1. */
  readonly step?: number | 'any'
}

interface NumberFieldProps extends RangeProps {
  readonly value: number
  readonly onChange: (value: number) => void
}

/** An input for a number. Keeps the last valid number while the input is invalid. */
export function NumberField({ label, value, onChange, ...range }: NumberFieldProps) {
  const [text, setText] = useState(String(value))
  return (
    <Field label={label}>
      <input
        type="number"
        {...range}
        required
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          if (currentTarget.validity.valid) onChange(currentTarget.valueAsNumber)
        }}
      />
    </Field>
  )
}

interface OptionalNumberFieldProps extends RangeProps {
  /** The default, shown while the input is empty. */
  readonly placeholder: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** An input for a number that can stay empty. */
export function OptionalNumberField({ label, onChange, ...attributes }: OptionalNumberFieldProps) {
  return (
    <Field label={label}>
      <input type="number" {...attributes} onInput={(event) => onChange(event.currentTarget.value)} />
    </Field>
  )
}
