import { useState } from 'preact/hooks'
import { useFormAction } from '../frame/use-action.ts'
import { FormButtons } from '../frame/form-buttons.tsx'
import { goTo } from '../frame/route.ts'
import { useNotices } from '../frame/notices.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { readStorageState } from './read-storage-state.ts'

interface ImportProfileProps {
  /** Name of the profile. Default: the user enters it. */
  readonly profile?: string
  readonly onClose: () => void
  /** Called after an import. Default: opens the page of the profile. */
  readonly onImported?: () => void
}

/** A form that imports a `storageState` of Playwright as a new version of a profile. */
export function ImportProfile({ profile, onClose, onImported }: ImportProfileProps) {
  const [name, setName] = useState(profile ?? '')
  const [file, setFile] = useState<File>()
  const { notify } = useNotices()
  const send = useFormAction(async (api, _: undefined, signal) => {
    if (file === undefined) return
    const body = await readStorageState(file)
    const { data } = await api.call('importStorageState', { params: { name: name.trim() }, body }, signal)
    notify(`Imported as version ${data.version} of ${data.name}`)
    if (onImported === undefined) goTo(['profiles', data.name])
    else onImported()
  })
  return (
    <Dialog
      ignoresBackdrop
      title={profile === undefined ? 'Import a profile' : `Import into ${profile}`}
      onClose={onClose}
    >
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void send.run(undefined).then((isDone) => isDone && onClose())
        }}
      >
        {profile === undefined && (
          <Field label="Profile" hint="A profile that does not exist is created.">
            <input required maxLength={128} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
        )}
        <Field
          label="File"
          hint="Playwright’s storageState as JSON: cookies, localStorage and IndexedDB. The new version replaces all other content. Earlier versions are kept."
        >
          <input
            type="file"
            required
            accept=".json,application/json"
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        </Field>
        <FormButtons label="Import" action={send} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
