import { useState } from 'preact/hooks'
import { Fold } from '../components/fold.tsx'
import { asCode } from './as-code.ts'
import { FormatFields } from './format-fields.tsx'
import { resultOf } from './formats.ts'
import { requestSnippets } from './request-snippets.ts'
import { ScrapeResult } from './scrape-result.tsx'
import { LoadFields, TagFields } from './scrape-fields.tsx'
import { enterScrape, readScrape, type EnteredScrape } from './scrape-options.ts'
import { UrlField, RequestForm } from './request-form.tsx'
import { RequestLayout } from './request-layout.tsx'
import { useRequest } from './use-request.ts'

/** A form that scrapes a page. */
export function ScrapeForm({ query }: { readonly query: URLSearchParams }) {
  const request = useRequest('scrape')
  const [url, setUrl] = useState(query.get('url') ?? '')
  const [entered, setEntered] = useState(() => enterScrape(['markdown', 'links']))
  const change = (changed: Partial<EnteredScrape>): void => setEntered((last) => ({ ...last, ...changed }))
  const options = readScrape(entered)
  const address = url === '' ? 'https://example.com' : url
  const call = `const document = await bowline.scrape(${asCode(address)}, ${asCode(options)})\nconsole.log(${resultOf(entered.formats.names)})`
  return (
    <RequestLayout
      request={request}
      snippets={requestSnippets('scrape', { url: address, ...options }, call)}
      renderResult={({ data, warning }, note) => <ScrapeResult document={data} warning={warning} note={note} />}
      form={
        <RequestForm request={request} input={{ body: { url, ...options } }} button="Scrape">
          <UrlField label="URL" value={url} onChange={setUrl} />
          <FormatFields formats={entered.formats} onChange={(formats) => change({ formats })} />
          <LoadFields entered={entered} onChange={change} />
          <Fold title="Include or exclude elements">
            <TagFields entered={entered} onChange={change} />
          </Fold>
        </RequestForm>
      }
    />
  )
}
