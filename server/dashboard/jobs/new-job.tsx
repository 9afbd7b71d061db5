import { useState } from 'preact/hooks'
import type { StartBulkResponse } from 'bowline/contract/bulk'
import { useFormAction } from '../frame/use-action.ts'
import { goTo } from '../frame/route.ts'
import { useNotices } from '../frame/notices.tsx'
import { Dialog } from '../components/dialog.tsx'
import { FormButtons } from '../frame/form-buttons.tsx'
import { Field } from '../components/field.tsx'
import { Tabs } from '../components/tabs.tsx'
import { NumberField } from '../components/number-field.tsx'
import { UrlsField } from '../components/url-fields.tsx'
import { cancelJob, type PageJobKind } from './job-calls.ts'
import { JobFields } from './job-fields.tsx'
import { enterJob, readBatch, readCrawl, type EnteredJob } from './job-options.ts'
import { describeInvalidUrls } from './job-state.ts'

const kinds = { Batch: 'batch_scrape', Crawl: 'crawl' } as const satisfies Record<string, PageJobKind>

/** A form that starts a job and opens its page. */
export function NewJob({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState<keyof typeof kinds>('Batch')
  const [entered, setEntered] = useState(enterJob)
  const change = (changed: Partial<EnteredJob>): void => setEntered((last) => ({ ...last, ...changed }))
  const fields = { entered, onChange: change }
  const kind = kinds[name]
  const { notify } = useNotices()
  const start = useFormAction(async (api, _: undefined, signal) => {
    const started: StartBulkResponse =
      kind === 'crawl'
        ? await api.call('startCrawl', { body: readCrawl(entered) })
        : await api.call('startBatch', { body: readBatch(entered) })
    const { id, warning, invalidURLs = [] } = started
    if (signal.aborted) return cancelJob(api, { kind, id })
    for (const text of [describeInvalidUrls(invalidURLs), warning]) if (text !== undefined) notify(text)
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
          <SiteFields {...fields} />
        ) : (
          <UrlsField
            rows={6}
            placeholder={'https://example.com\nhttps://example.org'}
            value={entered.urls}
            onChange={(urls) => change({ urls })}
          />
        )}
        <JobFields kind={kind} {...fields} />
        <FormButtons label="Start" action={start} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

interface JobTargetProps {
  readonly entered: EnteredJob
  readonly onChange: (changed: Partial<EnteredJob>) => void
}

function SiteFields({ entered, onChange }: JobTargetProps) {
  return (
    <>
      <Field label="Site" hint="The crawl starts at this URL.">
        <input
          required
          inputMode="url"
          placeholder="https://example.com"
          value={entered.url}
          onInput={(event) => onChange({ url: event.currentTarget.value })}
        />
      </Field>
      <NumberField
        label="Max pages"
        value={entered.limit}
        min={1}
        max={100_000}
        onChange={(limit) => onChange({ limit })}
      />
    </>
  )
}
