import { useState } from 'preact/hooks'
import { Check } from '../components/field.tsx'
import { asCode } from './as-code.ts'
import { requestSnippets } from './request-snippets.ts'
import { ScrapeResult } from './scrape-result.tsx'
import { UrlField, NumberField, RequestForm } from './request-form.tsx'
import { RequestLayout } from './request-layout.tsx'
import { useRequest } from './use-request.ts'

const formats = {
  markdown: 'Markdown',
  html: 'HTML',
  rawHtml: 'Raw HTML',
  links: 'Links',
  images: 'Images',
  screenshot: 'Screenshot',
} as const

type FormatName = keyof typeof formats

/** A form that scrapes a page. */
export function ScrapeForm({ query }: { readonly query: URLSearchParams }) {
  const request = useRequest('scrape')
  const [url, setUrl] = useState(query.get('url') ?? '')
  const [chosen, setChosen] = useState<readonly FormatName[]>(['markdown', 'links'])
  const [isMainOnly, setIsMainOnly] = useState(true)
  const [isFresh, setIsFresh] = useState(false)
  const [isMobile, setIsMobile] = useState(false)
  const [waitMs, setWaitMs] = useState(0)

  const options = {
    formats: chosen,
    ...(isMainOnly ? {} : { onlyMainContent: false }),
    ...(isFresh ? { maxAge: 0 } : {}),
    ...(isMobile ? { mobile: true } : {}),
    ...(waitMs > 0 ? { waitFor: waitMs } : {}),
  }
  const address = url === '' ? 'https://example.com' : url
  const call = `const document = await bowline.scrape(${asCode(address)}, ${asCode(options)})\nconsole.log(${chosen.includes('markdown') ? 'document.markdown' : 'document'})`
  return (
    <RequestLayout
      request={request}
      snippets={requestSnippets('scrape', { url: address, ...options }, call)}
      renderResult={({ data, warning }, note) => <ScrapeResult document={data} warning={warning} note={note} />}
      form={
        <RequestForm request={request} input={{ body: { url, ...options } }} button="Scrape">
          <UrlField label="URL" value={url} onChange={setUrl} />
          <fieldset class="checks">
            <legend>Formats</legend>
            {(Object.keys(formats) as FormatName[]).map((name) => (
              <Check
                key={name}
                label={formats[name]}
                isOn={chosen.includes(name)}
                onChange={(isOn) => setChosen(isOn ? [...chosen, name] : chosen.filter((each) => each !== name))}
              />
            ))}
          </fieldset>
          <fieldset class="checks">
            <legend>Options</legend>
            <Check label="Main content only" isOn={isMainOnly} onChange={setIsMainOnly} />
            <Check label="Skip the cache" isOn={isFresh} onChange={setIsFresh} />
            <Check label="Mobile device" isOn={isMobile} onChange={setIsMobile} />
          </fieldset>
          <NumberField
            label="Wait after loading (ms)"
            value={waitMs}
            min={0}
            max={30_000}
            step={100}
            onChange={setWaitMs}
          />
        </RequestForm>
      }
    />
  )
}
