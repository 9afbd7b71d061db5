import { cloneElement, type ComponentChildren, type VNode } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  /** The input element. */
  readonly children: VNode
}

/** An input with a label above and a hint below. */
export function Field({ label, hint, children }: FieldProps) {
  const hintId = useId()
  return (
    <div class="field">
      <label>
        <span>{label}</span>
        {hint === undefined ? children : cloneElement(children, { 'aria-describedby': hintId })}
      </label>
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  )
}

interface CheckProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

/** A labelled checkbox. */
export function Check({ label, isOn, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  )
}
