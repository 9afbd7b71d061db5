import { useState } from 'preact/hooks'
import type { CreateSessionOptions } from 'bowline/contract/session-options'
import { useFormAction } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { goTo } from '../frame/route.ts'
import { Dialog } from '../components/dialog.tsx'
import { formatDuration } from '../components/format.ts'
import { FormButtons } from '../frame/form-buttons.tsx'
import { Check, Field } from '../components/field.tsx'
import { describeOptions } from './describe-options.ts'
import { DomainFields } from './domain-fields.tsx'
import { EmulationFields } from './emulation-fields.tsx'
import { ExtensionFields } from './extension-fields.tsx'
import { LabelFields } from './label-fields.tsx'
import { ProxyFields } from './proxy-fields.tsx'
import { createSession, endSession } from './session-calls.ts'
import {
  enterTemplate,
  otherOptions,
  readEntered,
  type EnteredSession,
  type SessionTemplate,
} from './session-template.ts'

const noTemplate: SessionTemplate = { options: {}, omitted: [] }

interface NewSessionProps {
  /** The options to start with. Default: those of the API. */
  readonly template?: SessionTemplate
  readonly onClose: () => void
}

/** A form that starts a session and opens its page. */
export function NewSession({ template = noTemplate, onClose }: NewSessionProps) {
  const [entered, setEntered] = useState(() => enterTemplate(template))
  const change = (changed: Partial<EnteredSession>): void => setEntered((last) => ({ ...last, ...changed }))
  const create = useFormAction(async (api, options: CreateSessionOptions, signal) => {
    const { id } = await createSession(api, options)
    if (signal.aborted) return endSession(api, id)
    return goTo(['sessions', id], { view: 'take-over' })
  })
  const submit = (event: Event): void => {
    event.preventDefault()
    void create.run(readEntered(entered, template)).then((isCreated) => isCreated && onClose())
  }
  return (
    <Dialog ignoresBackdrop title="New session" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <Omitted template={template} />
        <div class="pair">
          <DurationField label="Ends after" seconds={entered.ttl} onChange={(ttl) => change({ ttl })} />
          <DurationField
            label="Or when idle for"
            seconds={entered.activityTtl}
            onChange={(activityTtl) => change({ activityTtl })}
          />
        </div>
        <ProfileFields entered={entered} onChange={change} />
        <LabelFields labels={entered.labels} onChange={(labels) => change({ labels })} />
        <DomainFields domains={entered.domains} onChange={(domains) => change({ domains })} />
        <EmulationFields emulation={entered.emulation} onChange={(emulation) => change({ emulation })} />
        <ProxyFields proxy={entered.proxy} onChange={(proxy) => change({ proxy })} />
        <ExtensionFields chosen={entered.extensions} onChange={(extensions) => change({ extensions })} />
        <Check
          label="Record video, console and network"
          isOn={entered.isRecorded}
          onChange={(isRecorded) => change({ isRecorded })}
        />
        <OtherOptions template={template} entered={entered} onChange={change} />
        <FormButtons label="Start" action={create} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

/** Names the options that the earlier session had and the form cannot fill in. */
function Omitted({ template: { omitted } }: { readonly template: SessionTemplate }) {
  if (omitted.length === 0) return null
  return (
    <p class="hint" role="note">
      Left out, because they can contain secrets: {omitted.join(', ')}. The server does not store them. Enter them again
      if the session needs them.
    </p>
  )
}

interface EnteredProps {
  readonly entered: EnteredSession
  readonly onChange: (changed: Partial<EnteredSession>) => void
}

function ProfileFields({ entered: { profile, savesChanges }, onChange }: EnteredProps) {
  return (
    <>
      <Field label="Profile" hint="Restores and saves cookies and storage. Leave empty for a fresh browser.">
        <input
          list="profile-names"
          maxLength={128}
          value={profile}
          placeholder="none"
          onInput={(event) => onChange({ profile: event.currentTarget.value })}
        />
      </Field>
      <ProfileNames />
      {profile.trim() !== '' && (
        <Check
          label="Save changes when the session ends"
          isOn={savesChanges !== false}
          onChange={(isOn) => onChange({ savesChanges: isOn })}
        />
      )}
    </>
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

function OtherOptions({ template, entered, onChange }: EnteredProps & { readonly template: SessionTemplate }) {
  const described = describeOptions(otherOptions(template))
  if (described.length === 0) return null
  const text = described.map(([name, value]) => `${name}: ${value}`).join(' · ')
  return (
    <Check
      label={`With the other options of that session (${text})`}
      isOn={entered.usesOthers}
      onChange={(usesOthers) => onChange({ usesOthers })}
    />
  )
}

const choices = [60, 300, 600, 1800, 3600]

interface DurationFieldProps {
  readonly label: string
  readonly seconds: number
  readonly onChange: (seconds: number) => void
}

function DurationField({ label, seconds, onChange }: DurationFieldProps) {
  const [offered] = useState(() => [...new Set([...choices, seconds])].toSorted((one, other) => one - other))
  return (
    <Field label={label}>
      <select value={seconds} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {offered.map((each) => (
          <option key={each} value={each}>
            {textOf(each)}
          </option>
        ))}
      </select>
    </Field>
  )
}

function textOf(seconds: number): string {
  if (seconds % 60 !== 0) return formatDuration(seconds * 1000)
  return seconds === 60 ? '1 minute' : `${seconds / 60} minutes`
}
