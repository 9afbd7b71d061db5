import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Field } from '../components/field.tsx'
import type { Try } from './use-try.ts'

interface TrialFormProps {
  readonly attempt: Try<unknown>
  /** What is sent. */
  readonly body: unknown
  readonly button: string
  readonly children: ComponentChildren
}

/** The options of a call, and the buttons that start and stop it. */
export function TrialForm({ attempt, body, button, children }: TrialFormProps) {
  const isRunning = attempt.trial.state === 'running'
  return (
    <form
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault()
        attempt.run(body)
      }}
    >
      {children}
      <div class="row end">
        {isRunning && (
          <button type="button" class="button" onClick={attempt.stop}>
            Stop
          </button>
        )}
        <button type="submit" class="button primary" disabled={isRunning}>
          {isRunning ? 'Working…' : button}
        </button>
      </div>
    </form>
  )
}

interface AddressFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Asks for the address of a page. */
export function AddressField({ label, value, onChange }: AddressFieldProps) {
  return (
    <Field label={label}>
      <input
        type="text"
        inputMode="url"
        required
        placeholder="https://example.com"
        aria-keyshortcuts="/"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  )
}

interface NumberFieldProps extends Pick<AddressFieldProps, 'label'> {
  readonly value: number
  readonly min: number
  readonly max: number
  readonly step?: number
  readonly onChange: (value: number) => void
}

/** Asks for a number. While something else is written there, the last number stands, and the form is not sent. */
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
