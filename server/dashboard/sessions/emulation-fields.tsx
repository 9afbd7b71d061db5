import type { CreateSessionOptions } from 'bowline/contract/session-options'
import { Fold } from '../components/fold.tsx'
import { Field } from '../components/field.tsx'

/** How a session presents itself to sites, as entered. */
export interface EnteredEmulation {
  /** Such as `1280x800`. */
  readonly viewport: string
  readonly locale: string
  readonly timezone: string
  readonly userAgent: string
  /** Such as `52.52, 13.4`. */
  readonly geolocation: string
  /** One header per line: origin, name and value. */
  readonly extraHeaders: string
}

/** An emulation without any input. */
export const noEmulation: EnteredEmulation = {
  viewport: '',
  locale: '',
  timezone: '',
  userAgent: '',
  geolocation: '',
  extraHeaders: '',
}

interface EmulationFieldsProps {
  readonly emulation: EnteredEmulation
  readonly onChange: (emulation: EnteredEmulation) => void
}

/** Inputs for the device, the language and the headers of a session. */
export function EmulationFields({ emulation, onChange }: EmulationFieldsProps) {
  const input = (name: keyof EnteredEmulation, placeholder: string, pattern?: string) => (
    <input
      value={emulation[name]}
      placeholder={placeholder}
      pattern={pattern}
      onInput={(event) => onChange({ ...emulation, [name]: event.currentTarget.value })}
    />
  )
  return (
    <Fold title="Device, language and headers">
      <div class="pair">
        <Field label="Viewport">{input('viewport', '1280x800@2', viewportPattern)}</Field>
        <Field label="Position">{input('geolocation', '52.52, 13.4', positionPattern)}</Field>
      </div>
      <div class="pair">
        <Field label="Language">{input('locale', 'de-DE')}</Field>
        <Field label="Time zone">{input('timezone', 'Europe/Berlin')}</Field>
      </div>
      <Field label="User agent">{input('userAgent', 'that of the browser')}</Field>
      <Field label="Extra headers" hint="One per line: https://api.example.com x-key: value">
        <textarea
          rows={2}
          value={emulation.extraHeaders}
          onInput={(event) => onChange({ ...emulation, extraHeaders: event.currentTarget.value })}
        />
      </Field>
    </Fold>
  )
}

const viewportPattern = String.raw`\s*\d+x\d+(@\d+(\.\d+)?)?\s*`
const positionPattern = String.raw`\s*-?\d+(\.\d+)?\s*,\s*-?\d+(\.\d+)?\s*`

/** Reads the emulation as session options. */
export function readEmulation(entered: EnteredEmulation) {
  const [width, height, deviceScaleFactor = 1] = numbersIn(entered.viewport)
  const [latitude, longitude] = numbersIn(entered.geolocation)
  const lines = entered.extraHeaders.split('\n').filter((line) => line.trim() !== '')
  const texts = (['locale', 'timezone', 'userAgent'] as const).map((name) => [name, entered[name].trim()] as const)
  return {
    ...(width === undefined || height === undefined ? {} : { viewport: { width, height, deviceScaleFactor } }),
    ...(latitude === undefined || longitude === undefined ? {} : { geolocation: { latitude, longitude } }),
    ...Object.fromEntries(texts.filter(([, text]) => text !== '')),
    ...(lines.length === 0 ? {} : { extraHeaders: readHeaders(lines) }),
  }
}

function numbersIn(text: string): readonly number[] {
  return (text.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
}

function readHeaders(lines: readonly string[]): CreateSessionOptions['extraHeaders'] {
  const headers: Record<string, Record<string, string>> = {}
  for (const line of lines) {
    const [, origin = line, name, value = ''] = /^(\S+)\s+([^\s:]+)\s*:\s*(.*)$/.exec(line.trim()) ?? []
    // The server refuses a line of another form, since it is not an origin.
    headers[origin] = { ...headers[origin], ...(name === undefined ? {} : { [name]: value }) }
  }
  return headers
}
