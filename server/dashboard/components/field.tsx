import { cloneElement, type ComponentChildren, type VNode } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

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

interface CheckedTextProps {
  readonly label: string
  readonly hint: string
  readonly isRequired?: boolean
  readonly value: string
  /** Why the text is invalid, shown when the form is sent. Empty if it is valid. */
  readonly problem: string
  readonly onChange: (value: string) => void
}

/** An input for lines of text with a check of its own. */
export function CheckedText({ label, hint, isRequired = false, value, problem, onChange }: CheckedTextProps) {
  const input = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => input.current?.setCustomValidity(problem), [problem])
  return (
    <Field label={label} hint={hint}>
      <textarea
        ref={input}
        rows={3}
        spellcheck={false}
        required={isRequired}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  )
}
