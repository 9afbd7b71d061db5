import { useState } from 'preact/hooks'
import type { Document } from 'bowline/contract/document'
import { onThisServer } from '../live/watch-live-view.ts'
import { Badge } from '../components/badge.tsx'
import { CopyButton } from '../components/copy-button.tsx'
import { countOf } from '../components/format.ts'
import { Tabs } from '../components/tabs.tsx'

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
  const view = views[names.includes(chosen) ? chosen : (names[0] ?? '')] ?? { text: '', isPicture: false }
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
        <CopyButton text={view.text} label="Copy this format" />
      </div>
      {view.isPicture ? (
        <a href={view.text} target="_blank" rel="noreferrer">
          <img class="screenshot" src={view.text} alt="Screenshot of the page" />
        </a>
      ) : (
        <pre class="output" tabIndex={0}>
          {view.text}
        </pre>
      )}
    </>
  )
}

interface View {
  /** Text to show and copy. For an image, its URL. */
  readonly text: string
  readonly isPicture: boolean
}

function viewsOf(document: Document): Readonly<Record<string, View>> {
  const { markdown, html, rawHtml, links, images, screenshot, json, metadata } = document
  const texts = {
    Markdown: markdown,
    HTML: html,
    'Raw HTML': rawHtml,
    Links: links?.join('\n'),
    Images: images?.join('\n'),
    Screenshot: screenshot === undefined ? undefined : sourceOf(screenshot),
    JSON: json === undefined ? undefined : JSON.stringify(json, null, 2),
    Metadata: JSON.stringify(metadata, null, 2),
  }
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, { text, isPicture: name === 'Screenshot' }] as const],
    ),
  )
}

function sourceOf(screenshot: string): string {
  return screenshot.startsWith('data:') ? screenshot : onThisServer(screenshot)
}

function firstOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0]
}
