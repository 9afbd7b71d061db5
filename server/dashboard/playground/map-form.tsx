import { useState } from 'preact/hooks'
import type { MapResponse } from 'bowline/contract/map'
import { linkTo } from '../frame/route.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { Field } from '../components/field.tsx'
import { countOf, formatNumber } from '../components/format.ts'
import { asCode } from './as-code.ts'
import { requestSnippets } from './request-snippets.ts'
import { NumberField } from '../components/number-field.tsx'
import { RequestForm, UrlField } from './request-form.tsx'
import { RequestLayout } from './request-layout.tsx'
import { SitemapField, type SitemapMode } from './sitemap-field.tsx'
import { useRequest } from './use-request.ts'

/** A form that lists the URLs of a site. */
export function MapForm({ query }: { readonly query: URLSearchParams }) {
  const request = useRequest('map')
  const [url, setUrl] = useState(query.get('url') ?? '')
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(100)
  const [sitemap, setSitemap] = useState<SitemapMode>('include')
  const options = {
    limit,
    ...(search.trim() === '' ? {} : { search: search.trim() }),
    ...(sitemap === 'include' ? {} : { sitemap }),
  }
  const address = url === '' ? 'https://example.com' : url
  const call = `const { links } = await bowline.map(${asCode(address)}, ${asCode(options)})\nfor (const { url } of links) console.log(url)`
  return (
    <RequestLayout
      request={request}
      snippets={requestSnippets('map', { url: address, ...options }, call)}
      renderResult={(result, note) => <MapResult result={result} note={note} />}
      form={
        <RequestForm request={request} input={{ body: { url, ...options } }} button="Map">
          <UrlField label="Site" value={url} onChange={setUrl} />
          <Field label="Search" hint="Ranks matching pages first.">
            <input value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
          </Field>
          <div class="pair">
            <NumberField label="Max pages" value={limit} min={1} max={100_000} onChange={setLimit} />
            <SitemapField value={sitemap} onChange={setSitemap} />
          </div>
        </RequestForm>
      }
    />
  )
}

function MapResult({ result, note }: { readonly result: MapResponse; readonly note: string }) {
  return (
    <>
      <header class="result-head">
        <b>{countOf(result.links.length, 'page')}</b>
        <p class="row">
          <span class="faint">{note}</span>
          <CopyButton text={result.links.map(({ url }) => url).join('\n')} label="Copy all URLs" />
        </p>
      </header>
      {result.warning !== undefined && <p class="notice-line">{result.warning}</p>}
      <ol class="hits">
        {result.links.slice(0, maxShown).map(({ url, title, description }) => (
          <li key={url}>
            <a href={linkTo(['playground', 'scrape'], { url })} title="Scrape this page">
              {title ?? url}
            </a>
            {title !== undefined && <small>{url}</small>}
            {description !== undefined && <p>{description}</p>}
          </li>
        ))}
      </ol>
      {result.links.length > maxShown && (
        <p class="faint">Showing the first {formatNumber(maxShown)}. Copy includes all URLs.</p>
      )}
    </>
  )
}

/** Rendering all of up to 100,000 links would block the browser. */
const maxShown = 1000
