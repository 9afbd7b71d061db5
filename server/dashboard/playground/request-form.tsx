import type { ComponentChildren } from 'preact'
import { Field } from '../components/field.tsx'
import type { RequestRunner } from './use-request.ts'

interface RequestFormProps<Input> {
  readonly request: RequestRunner<Input, unknown>
  readonly input: Input
  readonly button: string
  readonly children: ComponentChildren
}

/** The options of a request, with buttons to send and cancel it. */
export function RequestForm<Input>({ request, input, button, children }: RequestFormProps<Input>) {
  const isRunning = request.state.status === 'running'
  return (
    <form
      class="card stack"
      onSubmit={(event) => {
        event.preventDefault()
        request.run(input)
      }}
    >
      {children}
      <div class="row end">
        {isRunning && (
          <button type="button" class="button" onClick={request.stop}>
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

interface UrlFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** An input for a URL. */
export function UrlField({ label, value, onChange }: UrlFieldProps) {
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
