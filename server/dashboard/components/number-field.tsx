import { useState } from 'preact/hooks'
import { Field } from './field.tsx'

interface NumberFieldProps {
  readonly label: string
  readonly value: number
  readonly min: number
  readonly max: number
  readonly step?: number
  readonly onChange: (value: number) => void
}

/** An input for a number. Keeps the last valid number while the input is invalid. */
export function NumberField({ label, value, min, max, step = 1, onChange }: NumberFieldProps) {
  const [text, setText] = useState(String(value))
  return (
    <Field label={label}>
      <input
        type="number"
        min={min}
        max={max}
        step={step}
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

interface OptionalNumberFieldProps {
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
export function OptionalNumberField({ label, onChange, ...attributes }: OptionalNumberFieldProps) {
  return (
    <Field label={label}>
      <input type="number" {...attributes} onInput={(event) => onChange(event.currentTarget.value)} />
    </Field>
  )
}
