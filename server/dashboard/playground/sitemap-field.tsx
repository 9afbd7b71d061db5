import { Field } from '../components/field.tsx'

const modes = { include: 'sitemaps, links', only: 'sitemaps only', skip: 'links only' } as const

/** Where the pages of a site are found. */
export type SitemapMode = keyof typeof modes

interface SitemapFieldProps {
  readonly value: SitemapMode
  readonly onChange: (mode: SitemapMode) => void
}

/** Selects where the pages of a site are found. */
export function SitemapField({ value, onChange }: SitemapFieldProps) {
  return (
    <Field label="Find pages in">
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as SitemapMode)}>
        {Object.entries(modes).map(([mode, text]) => (
          <option key={mode} value={mode}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  )
}
