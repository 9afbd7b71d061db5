import { useState } from 'preact/hooks'
import { useFormAction } from '../frame/use-action.ts'
import { goTo } from '../frame/route.ts'
import { Dialog } from '../components/dialog.tsx'
import { FormButtons } from '../frame/form-buttons.tsx'
import { Field } from '../components/field.tsx'
import { Tabs } from '../components/tabs.tsx'
import { NumberField } from '../playground/request-form.tsx'
import { cancelJob, type PageJobKind } from './job-calls.ts'

const kinds = { Batch: 'batch_scrape', Crawl: 'crawl' } as const satisfies Record<string, PageJobKind>

/** A form that starts a job and opens its page. */
export function NewJob({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState<keyof typeof kinds>('Batch')
  const [urls, setUrls] = useState('')
  const [url, setUrl] = useState('')
  const [limit, setLimit] = useState(50)
  const kind = kinds[name]
  const start = useFormAction(async (api, _: undefined, signal) => {
    const { id } =
      kind === 'crawl'
        ? await api.call('startCrawl', { body: { url, limit } })
        : await api.call('startBatch', { body: { urls: urls.split(/\s+/).filter((each) => each !== '') } })
    if (signal.aborted) return cancelJob(api, { kind, id })
    return goTo(['jobs', kind, id])
  })
  return (
    <Dialog ignoresBackdrop title="New job" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void start.run(undefined)
        }}
      >
        <Tabs
          label="Kind of job"
          names={Object.keys(kinds)}
          chosen={name}
          onChoose={(chosen) => setName(chosen as keyof typeof kinds)}
        />
        {kind === 'crawl' ? (
          <>
            <Field label="Site" hint="The crawl starts at this URL.">
              <input
                required
                inputMode="url"
                placeholder="https://example.com"
                value={url}
                onInput={(event) => setUrl(event.currentTarget.value)}
              />
            </Field>
            <NumberField label="Max pages" value={limit} min={1} max={10_000} onChange={setLimit} />
          </>
        ) : (
          <Field label="URLs" hint="One per line.">
            <textarea
              required
              rows={6}
              placeholder={'https://example.com\nhttps://example.org'}
              value={urls}
              onInput={(event) => setUrls(event.currentTarget.value)}
            />
          </Field>
        )}
        <FormButtons label="Start" action={start} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
