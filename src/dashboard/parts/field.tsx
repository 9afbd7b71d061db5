import type { ComponentChildren } from 'preact'

interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly children: ComponentChildren
}

/** An input with its label above and a hint below. */
export const Field = ({ label, hint, children }: FieldProps) => (
  <label class="field">
    <span>{label}</span>
    {children}
    {hint !== undefined && <small>{hint}</small>}
  </label>
)

interface CheckProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

/** A box to tick. */
export const Check = ({ label, isOn, onChange }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
    {label}
  </label>
)
