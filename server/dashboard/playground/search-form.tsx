import { useState } from 'preact/hooks'
import type { SearchResponse } from 'bowline/contract/search'
import { linkTo } from '../frame/route.ts'
import { Field } from '../components/field.tsx'
import { countOf } from '../components/format.ts'
import { asCode } from './as-code.ts'
import { requestSnippets } from './request-snippets.ts'
import { NumberField } from '../components/number-field.tsx'
import { RequestForm } from './request-form.tsx'
import { RequestLayout } from './request-layout.tsx'
import { useRequest } from './use-request.ts'

/** A form that searches the web or the pages scraped by this server. */
export function SearchForm({ query }: { readonly query: URLSearchParams }) {
  const request = useRequest('search')
  const [words, setWords] = useState(query.get('query') ?? '')
  const [limit, setLimit] = useState(10)
  const options = { limit }
  const call = `const { web = [] } = await bowline.search(${asCode(words)}, ${asCode(options)})\nfor (const { url, title } of web) console.log(url, title)`
  return (
    <RequestLayout
      request={request}
      snippets={requestSnippets('search', { query: words, ...options }, call)}
      renderResult={(result, note) => <SearchResults result={result} note={note} />}
      form={
        <RequestForm request={request} input={{ body: { query: words, ...options } }} button="Search">
          <Field label="Query" hint="Supports “exact phrases”, -word, site:, intitle: and inurl:.">
            <input
              type="search"
              required
              aria-keyshortcuts="/"
              value={words}
              onInput={(event) => setWords(event.currentTarget.value)}
            />
          </Field>
          <NumberField label="Max results" value={limit} min={1} max={100} onChange={setLimit} />
        </RequestForm>
      }
    />
  )
}

function SearchResults({ result, note }: { readonly result: SearchResponse; readonly note: string }) {
  const hits = result.data.web ?? []
  return (
    <>
      <header class="result-head">
        <b>{countOf(hits.length, 'result')}</b>
        <p class="faint">
          {note}
          {result.creditsUsed === undefined ? '' : ` · ${countOf(result.creditsUsed, 'credit')}`}
        </p>
      </header>
      {typeof result.warning === 'string' && <p class="notice-line">{result.warning}</p>}
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
