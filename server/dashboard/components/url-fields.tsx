import { Field } from './field.tsx'

interface UrlsFieldProps {
  readonly rows: number
  readonly placeholder: string
  readonly value: string
  readonly onChange: (urls: string) => void
}

/** A required input for the URLs of pages, one per line. */
export function UrlsField({ rows, placeholder, value, onChange }: UrlsFieldProps) {
  return (
    <Field label="URLs" hint="One per line.">
      <textarea
        required
        rows={rows}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  )
}

/** The URLs that a `UrlsField` contains. */
export function urlsOf(text: string): string[] {
  return text.split(/\s+/).filter((url) => url !== '')
}

interface WebhookFieldProps {
  readonly hint: string
  readonly value: string
  readonly onChange: (url: string) => void
}

/** An input for the URL that receives events. */
export function WebhookField({ hint, value, onChange }: WebhookFieldProps) {
  return (
    <Field label="Webhook" hint={hint}>
      <input
        inputMode="url"
        placeholder="none"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  )
}
