import { useState } from 'preact/hooks'
import type { CreateSessionOptions } from 'bowline/contract/session-options'
import { useFormAction } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { goTo } from '../frame/route.ts'
import { Dialog } from '../components/dialog.tsx'
import { FormButtons } from '../frame/form-buttons.tsx'
import { Check, Field } from '../components/field.tsx'
import { DomainFields, readDomains, type EnteredDomains } from './domain-fields.tsx'
import { EmulationFields, noEmulation, readEmulation } from './emulation-fields.tsx'
import { ExtensionFields } from './extension-fields.tsx'
import { LabelFields, readLabels, type EnteredLabels } from './label-fields.tsx'
import { createSession, endSession } from './session-calls.ts'

const minutes = [1, 5, 10, 30, 60]

/** A form that starts a session and opens its page. */
export function NewSession({ onClose }: { readonly onClose: () => void }) {
  const [labels, setLabels] = useState<EnteredLabels>({ name: '', metadata: '' })
  const [domains, setDomains] = useState<EnteredDomains>({ allowed: '', blocked: '' })
  const [emulation, setEmulation] = useState(noEmulation)
  const [ttlMinutes, setTtlMinutes] = useState(10)
  const [idleMinutes, setIdleMinutes] = useState(5)
  const [profile, setProfile] = useState('')
  const [savesChanges, setSavesChanges] = useState(true)
  const [isRecorded, setIsRecorded] = useState(false)
  const [extensions, setExtensions] = useState<readonly string[]>([])
  const create = useFormAction(async (api, options: CreateSessionOptions, signal) => {
    const { id } = await createSession(api, options)
    if (signal.aborted) return endSession(api, id)
    return goTo(['sessions', id], { view: 'take-over' })
  })
  const submit = (event: Event): void => {
    event.preventDefault()
    const name = profile.trim()
    void create.run({
      ...readLabels(labels),
      ...readDomains(domains),
      ...readEmulation(emulation),
      ttl: ttlMinutes * 60,
      activityTtl: idleMinutes * 60,
      ...(name === '' ? {} : { profile: { name, saveChanges: savesChanges } }),
      ...(isRecorded ? { record: true } : {}),
      ...(extensions.length > 0 ? { extensions } : {}),
    })
  }
  return (
    <Dialog ignoresBackdrop title="New session" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <div class="pair">
          <MinutesField label="Ends after" value={ttlMinutes} onChange={setTtlMinutes} />
          <MinutesField label="Or when idle for" value={idleMinutes} onChange={setIdleMinutes} />
        </div>
        <Field label="Profile" hint="Restores and saves cookies and storage. Leave empty for a fresh browser.">
          <input
            list="profile-names"
            maxLength={128}
            value={profile}
            placeholder="none"
            onInput={(event) => setProfile(event.currentTarget.value)}
          />
        </Field>
        <ProfileNames />
        {profile.trim() !== '' && (
          <Check label="Save changes when the session ends" isOn={savesChanges} onChange={setSavesChanges} />
        )}
        <LabelFields labels={labels} onChange={setLabels} />
        <DomainFields domains={domains} onChange={setDomains} />
        <EmulationFields emulation={emulation} onChange={setEmulation} />
        <ExtensionFields chosen={extensions} onChange={setExtensions} />
        <Check label="Record video, console and network" isOn={isRecorded} onChange={setIsRecorded} />
        <FormButtons label="Start" action={create} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

/** Suggestions for the name of a profile. */
function ProfileNames() {
  const profiles = useLoaded('profiles', async (api, signal) => api.call('listProfiles', {}, signal))
  return (
    <datalist id="profile-names">
      {profiles.value?.data.map(({ name }) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  )
}

interface MinutesFieldProps {
  readonly label: string
  readonly value: number
  readonly onChange: (value: number) => void
}

function MinutesField({ label, value, onChange }: MinutesFieldProps) {
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {minutes.map((each) => (
          <option key={each} value={each}>
            {each === 1 ? '1 minute' : `${each} minutes`}
          </option>
        ))}
      </select>
    </Field>
  )
}
