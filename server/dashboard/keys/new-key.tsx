import { useState } from 'preact/hooks'
import type { CreateKeyOptions, CreateKeyResponse } from 'bowline/contract/keys'
import { useAccount } from '../api/context.ts'
import { useFormAction } from '../frame/use-action.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { FormButtons } from '../frame/form-buttons.tsx'
import { Check, Field } from '../components/field.tsx'

/** A form that creates a key and shows it once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const account = useAccount()
  const [name, setName] = useState('')
  const [team, setTeam] = useState(account.team)
  const [isAdmin, setIsAdmin] = useState(false)
  const [created, setCreated] = useState<CreateKeyResponse>()
  const create = useFormAction(async (api, options: CreateKeyOptions, signal) => {
    const key = await api.call('createKey', { body: options })
    // The key was never shown and cannot be read again.
    if (signal.aborted) return api.call('revokeKey', { params: { id: key.data.id } })
    return setCreated(key)
  })
  if (created !== undefined) {
    return (
      <Dialog ignoresBackdrop title="Key created" onClose={onClose}>
        <p>Copy the key now. It will not be shown again.</p>
        <p class="secret">
          <code>{created.key}</code>
          <CopyButton text={created.key} label="Copy the key" />
        </p>
        <div class="row end">
          <button type="button" class="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog ignoresBackdrop title="New key" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void create.run({ name, ...(team === '' ? {} : { team }), role: isAdmin ? 'admin' : 'member' })
        }}
      >
        <Field label="Name" hint="For example the program that uses the key.">
          <input
            required
            maxLength={100}
            autofocus
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <Field label="Team" hint="Teams cannot see each other’s sessions. A new name creates a new team.">
          <input maxLength={100} value={team} onInput={(event) => setTeam(event.currentTarget.value)} />
        </Field>
        <Check label="Admin: can create and revoke keys of all teams" isOn={isAdmin} onChange={setIsAdmin} />
        <FormButtons label="Create key" action={create} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
