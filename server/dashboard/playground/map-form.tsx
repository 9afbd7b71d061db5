import { useState } from 'preact/hooks'
import type { MapResponse } from 'bowline/contract/map'
import { linkTo } from '../frame/route.ts'
import { Copy } from '../components/copy.tsx'
import { Field } from '../components/field.tsx'
import { countOf, formatNumber } from '../components/format.ts'
import { asCode } from './as-code.ts'
import { requestSnippets } from './request-snippets.ts'
import { AddressField, NumberField, TrialForm } from './trial-form.tsx'
import { TrialFrame } from './trial-frame.tsx'
import { useTry } from './use-try.ts'

const sitemapModes = { include: 'and links of pages', only: 'alone', skip: 'not at all' } as const

/** Lists the pages of a site. */
export function MapForm({ query }: { readonly query: URLSearchParams }) {
  const attempt = useTry<MapResponse>('/v2/map')
  const [url, setUrl] = useState(query.get('url') ?? '')
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(100)
  const [sitemap, setSitemap] = useState<keyof typeof sitemapModes>('include')
  const options = {
    limit,
    ...(search.trim() === '' ? {} : { search: search.trim() }),
    ...(sitemap === 'include' ? {} : { sitemap }),
  }
  const address = url === '' ? 'https://example.com' : url
  const call = `const { links } = await bowline.map(${asCode(address)}, ${asCode(options)})`
  return (
    <TrialFrame
      attempt={attempt}
      snippets={requestSnippets('/v2/map', { url: address, ...options }, call)}
      showAnswer={(answer, note) => <MapAnswer answer={answer} note={note} />}
      form={
        <TrialForm attempt={attempt} body={{ url, ...options }} button="Map">
          <AddressField label="Site" value={url} onChange={setUrl} />
          <Field label="Words" hint="Puts the pages first that have to do with them.">
            <input value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
          </Field>
          <div class="pair">
            <NumberField label="Most pages" value={limit} min={1} max={100_000} onChange={setLimit} />
            <Field label="Sitemaps">
              <select
                value={sitemap}
                onChange={(event) => setSitemap(event.currentTarget.value as keyof typeof sitemapModes)}
              >
                {Object.entries(sitemapModes).map(([mode, text]) => (
                  <option key={mode} value={mode}>
                    {text}
                  </option>
                ))}
              </select>
            </Field>
          </div>
        </TrialForm>
      }
    />
  )
}

function MapAnswer({ answer, note }: { readonly answer: MapResponse; readonly note: string }) {
  return (
    <>
      <header class="answer-head">
        <b>{countOf(answer.links.length, 'page')}</b>
        <p class="row">
          <span class="faint">{note}</span>
          <Copy text={answer.links.map(({ url }) => url).join('\n')} label="Copy all addresses" />
        </p>
      </header>
      {answer.warning !== undefined && <p class="notice-line">{answer.warning}</p>}
      <ol class="hits">
        {answer.links.slice(0, mostShown).map(({ url, title, description }) => (
          <li key={url}>
            <a href={linkTo(['playground', 'scrape'], { url })} title="Scrape this page">
              {title ?? url}
            </a>
            {title !== undefined && <small>{url}</small>}
            {description !== undefined && <p>{description}</p>}
          </li>
        ))}
      </ol>
      {answer.links.length > mostShown && (
        <p class="faint">These are the first {formatNumber(mostShown)}; the copy has all addresses.</p>
      )}
    </>
  )
}

/** A list of a hundred thousand links would hold up the browser. */
const mostShown = 1000
