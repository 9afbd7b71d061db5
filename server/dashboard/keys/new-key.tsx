import { useState } from 'preact/hooks'
import type { CreateKeyOptions, CreateKeyResponse } from 'bowline/contract/keys'
import { useAccount } from '../api/context.ts'
import { useFormAction } from '../api/use-action.ts'
import { Copy } from '../components/copy.tsx'
import { Dialog } from '../components/dialog.tsx'
import { FormButtons } from '../components/form-buttons.tsx'
import { Check, Field } from '../components/field.tsx'

/** Makes a key, and shows it this once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const account = useAccount()
  const [name, setName] = useState('')
  const [team, setTeam] = useState(account.team)
  const [isAdmin, setIsAdmin] = useState(false)
  const [made, setMade] = useState<CreateKeyResponse>()
  const create = useFormAction(async (api, options: CreateKeyOptions, signal) => {
    const key = await api.send<CreateKeyResponse>('POST', '/v2/team/keys', options)
    // Nobody has seen it, and nobody can any more.
    if (signal.aborted) return api.send('DELETE', `/v2/team/keys/${key.data.id}`)
    return setMade(key)
  })
  if (made !== undefined) {
    return (
      <Dialog staysOpen title="The new key" onClose={onClose}>
        <p>Copy it now: the server keeps only a hash and cannot show it again.</p>
        <p class="secret">
          <code>{made.key}</code>
          <Copy text={made.key} label="Copy the key" />
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
    <Dialog staysOpen title="New key" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void create.run({ name, ...(team === '' ? {} : { team }), role: isAdmin ? 'admin' : 'member' })
        }}
      >
        <Field label="Name" hint="What will use it.">
          <input
            required
            maxLength={100}
            autofocus
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <Field label="Team" hint="Teams do not see each other’s sessions. A new name makes a new team.">
          <input maxLength={100} value={team} onInput={(event) => setTeam(event.currentTarget.value)} />
        </Field>
        <Check label="Admin: may make and revoke keys of every team" isOn={isAdmin} onChange={setIsAdmin} />
        <FormButtons label="Make key" action={create} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
