import { useState } from 'preact/hooks'
import { useFormAction } from '../frame/use-action.ts'
import { goTo } from '../frame/route.ts'
import { Dialog } from '../components/dialog.tsx'
import { FormButtons } from '../frame/form-buttons.tsx'
import { Field } from '../components/field.tsx'
import { Fold } from '../components/fold.tsx'
import { UrlsField, urlsOf, WebhookField } from '../components/url-fields.tsx'
import { ScrapeFields } from '../playground/scrape-fields.tsx'
import { enterScrape, readScrape } from '../playground/scrape-options.ts'
import { createMonitor, deleteMonitor } from './monitor-calls.ts'

/** A form that creates a monitor and opens its page. */
export function NewMonitor({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [urls, setUrls] = useState('')
  const [schedule, setSchedule] = useState('every 30 minutes')
  const [webhook, setWebhook] = useState('')
  const [scrape, setScrape] = useState(() => enterScrape(['markdown']))
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions()
  const create = useFormAction(async (api, _: undefined, signal) => {
    const { id } = await createMonitor(api, {
      name,
      schedule: { text: schedule, timezone },
      targets: [{ type: 'scrape', urls: urlsOf(urls), scrapeOptions: readScrape(scrape) }],
      ...(webhook.trim() === '' ? {} : { webhook: webhook.trim() }),
    })
    if (signal.aborted) return deleteMonitor(api, id)
    return goTo(['monitors', id])
  })
  return (
    <Dialog ignoresBackdrop title="New monitor" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void create.run(undefined)
        }}
      >
        <Field label="Name">
          <input required maxLength={256} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <UrlsField rows={4} placeholder="https://example.com/prices" value={urls} onChange={setUrls} />
        <Field
          label="Schedule"
          hint={`For example “every 15 minutes”, “hourly at :30”, “daily at 9:00” or “weekly”, in the time zone ${timezone}.`}
        >
          <input required value={schedule} onInput={(event) => setSchedule(event.currentTarget.value)} />
        </Field>
        <Fold title="Options">
          <ScrapeFields
            isFresh
            entered={scrape}
            onChange={(changed) => setScrape((last) => ({ ...last, ...changed }))}
          />
          <WebhookField hint="Receives an event for each page and each check." value={webhook} onChange={setWebhook} />
        </Fold>
        <FormButtons label="Create monitor" action={create} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
