import { useState } from 'preact/hooks'
import type { SearchResponse } from 'bowline/contract/search'
import { linkTo } from '../frame/route.ts'
import { Field } from '../components/field.tsx'
import { countOf } from '../components/format.ts'
import { asCode } from './as-code.ts'
import { requestSnippets } from './request-snippets.ts'
import { NumberField, TrialForm } from './trial-form.tsx'
import { TrialFrame } from './trial-frame.tsx'
import { useTry } from './use-try.ts'

/** Searches the web, or what this server has scraped. */
export function SearchForm({ query }: { readonly query: URLSearchParams }) {
  const attempt = useTry<SearchResponse>('/v2/search')
  const [words, setWords] = useState(query.get('query') ?? '')
  const [limit, setLimit] = useState(10)
  const options = { limit }
  const call = `const { web } = await bowline.search(${asCode(words)}, ${asCode(options)})`
  return (
    <TrialFrame
      attempt={attempt}
      snippets={requestSnippets('/v2/search', { query: words, ...options }, call)}
      showAnswer={(answer, note) => <Hits answer={answer} note={note} />}
      form={
        <TrialForm attempt={attempt} body={{ query: words, ...options }} button="Search">
          <Field label="Words" hint="Quotes, -word, site:, intitle: and inurl: narrow it down.">
            <input
              type="search"
              required
              aria-keyshortcuts="/"
              value={words}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
          </Field>
          <NumberField label="Most results" value={limit} min={1} max={100} onChange={setLimit} />
        </TrialForm>
      }
    />
  )
}

function Hits({ answer, note }: { readonly answer: SearchResponse; readonly note: string }) {
  const hits = answer.data.web ?? []
  return (
    <>
      <header class="answer-head">
        <b>{countOf(hits.length, 'result')}</b>
        <p class="faint">
          {note}
          {answer.creditsUsed === undefined ? '' : ` · ${countOf(answer.creditsUsed, 'credit')}`}
        </p>
      </header>
      {typeof answer.warning === 'string' && <p class="notice-line">{answer.warning}</p>}
      <ol class="hits">
        {hits.map(({ url = '', title, description }) => (
          <li key={url}>
            <a href={linkTo(['playground', 'scrape'], { url })} title="Scrape this page">
              {title ?? url}
            </a>
            <small>{url}</small>
            {description !== undefined && <p>{description}</p>}
          </li>
        ))}
      </ol>
    </>
  )
}
