import { useState } from 'preact/hooks'
import { useFormAction } from '../frame/use-action.ts'
import { goTo } from '../frame/route.ts'
import { Dialog } from '../components/dialog.tsx'
import { FormButtons } from '../frame/form-buttons.tsx'
import { Field } from '../components/field.tsx'
import { createMonitor, deleteMonitor } from './monitor-calls.ts'

/** A form that creates a monitor and opens its page. */
export function NewMonitor({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const [urls, setUrls] = useState('')
  const [schedule, setSchedule] = useState('every 30 minutes')
  const [webhook, setWebhook] = useState('')
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions()
  const create = useFormAction(async (api, _: undefined, signal) => {
    const { id } = await createMonitor(api, {
      name,
      schedule: { text: schedule, timezone },
      targets: [{ type: 'scrape', urls: urls.split(/\s+/).filter((url) => url !== '') }],
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
        <Field label="URLs" hint="One per line.">
          <textarea
            required
            rows={4}
            placeholder="https://example.com/prices"
            value={urls}
            onInput={(event) => setUrls(event.currentTarget.value)}
          />
        </Field>
        <Field
          label="Schedule"
          hint={`For example “every 15 minutes”, “hourly at :30”, “daily at 9:00” or “weekly”, in the time zone ${timezone}.`}
        >
          <input required value={schedule} onInput={(event) => setSchedule(event.currentTarget.value)} />
        </Field>
        <Field label="Webhook" hint="Optional. Receives an event for each page and each check.">
          <input
            inputMode="url"
            placeholder="none"
            value={webhook}
            onInput={(event) => setWebhook(event.currentTarget.value)}
          />
        </Field>
        <FormButtons label="Create monitor" action={create} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
