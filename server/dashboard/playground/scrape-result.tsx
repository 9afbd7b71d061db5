import { useState } from 'preact/hooks'
import type { Document } from 'bowline/contract/document'
import { Badge } from '../components/badge.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { countOf } from '../components/format.ts'
import { Tabs } from '../components/tabs.tsx'
import { viewsOf, type DocumentView } from './document-views.ts'

interface ScrapeResultProps {
  readonly document: Document
  readonly warning?: string | undefined
  /** For example the duration. */
  readonly note: string
}

/** A scraped page with a tab for each format. */
export function ScrapeResult({ document, warning, note }: ScrapeResultProps) {
  const views = viewsOf(document)
  const names = Object.keys(views)
  const [chosen, setChosen] = useState(names[0] ?? '')
  const view = views[names.includes(chosen) ? chosen : (names[0] ?? '')]
  const { metadata } = document
  const status = metadata.statusCode
  return (
    <>
      <header class="result-head">
        <b>{firstOf(metadata.title) ?? metadata.url ?? 'Page'}</b>
        <p class="row">
          {status !== undefined && <Badge tone={status < 400 ? 'good' : 'bad'}>{status}</Badge>}
          {metadata.cacheState === 'hit' && <Badge>cached</Badge>}
          {metadata.creditsUsed !== undefined && <Badge>{countOf(metadata.creditsUsed, 'credit')}</Badge>}
          <span class="faint">{note}</span>
        </p>
      </header>
      {[warning, document.warning, metadata.error].map(
        (text) => text !== undefined && <p class="notice-line">{text}</p>,
      )}
      <div class="row spread">
        <Tabs
          label="Format"
          names={names}
          chosen={names.includes(chosen) ? chosen : (names[0] ?? '')}
          onChoose={setChosen}
        />
        {view !== undefined && view.text.trim() !== '' && <CopyButton text={view.text} label="Copy this format" />}
      </div>
      {view !== undefined && <Content view={view} status={status} />}
    </>
  )
}

interface ContentProps {
  readonly view: DocumentView
  /** HTTP status of the page. */
  readonly status: number | undefined
}

function Content({ view: { text, pictureOf, emptyNote }, status }: ContentProps) {
  if (text.trim() === '') {
    return (
      <p class="hint" role="note">
        {status === undefined ? '' : `Status ${status}. `}
        {emptyNote}
      </p>
    )
  }
  if (pictureOf === undefined) {
    return (
      <pre class="output" tabIndex={0}>
        {text}
      </pre>
    )
  }
  const image = <img class="screenshot" src={text} alt={pictureOf} />
  // Browsers do not open data URIs in a tab.
  if (text.startsWith('data:')) return image
  return (
    <a href={text} target="_blank" rel="noreferrer">
      {image}
    </a>
  )
}

function firstOf(value: string | readonly string[] | undefined): string | undefined {
  const first = typeof value === 'string' ? value : value?.[0]
  return first === '' ? undefined : first
}
