import { useState } from 'preact/hooks'
import type { CreateTeamOptions, TeamChanges, TeamSummary } from 'bowline/contract/teams'
import { useFormAction } from '../frame/use-action.ts'
import { Dialog } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { FormButtons } from '../frame/form-buttons.tsx'

interface TeamFormProps {
  /** `undefined` creates a team. */
  readonly team: TeamSummary | undefined
  readonly onClose: () => void
}

interface Entries {
  readonly name: string
  readonly credits: string
  readonly more: string
  readonly maxConcurrency: string
  readonly rateLimits: string
}

/** A form that creates a team or edits its balance and limits. */
export function TeamForm({ team, onClose }: TeamFormProps) {
  const before = entriesOf(team)
  const [entries, setEntries] = useState(before)
  const send = useFormAction(async (api) => {
    if (team === undefined) return api.call('createTeam', { body: toTeam(entries) })
    const changes = toChanges(before, entries)
    if (Object.keys(changes).length === 0) return undefined
    return api.call('updateTeam', { params: { id: team.id }, body: changes })
  })
  const input = (name: keyof Entries, attributes: Readonly<Record<string, unknown>> = {}) => (
    <input
      {...attributes}
      value={entries[name]}
      onInput={({ currentTarget: { value } }) => setEntries({ ...entries, [name]: value })}
    />
  )
  return (
    <Dialog ignoresBackdrop title={team === undefined ? 'New team' : `Edit ${team.name}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void send.run(undefined).then((isDone) => isDone && onClose())
        }}
      >
        {team === undefined && <Field label="Name">{input('name', { required: true, maxLength: 100 })}</Field>}
        <Field label="Credits" hint="Balance. Leave empty for an unmetered team.">
          {input('credits', { type: 'number', min: 0, disabled: entries.more !== '' })}
        </Field>
        {before.credits !== '' && (
          <Field label="Add to balance" hint="Safe while jobs are running. A negative number deducts credits.">
            {input('more', { type: 'number' })}
          </Field>
        )}
        <Field label="Max concurrent sessions and scrapes" hint="Leave empty for the limit of the server.">
          {input('maxConcurrency', { type: 'number', min: 1 })}
        </Field>
        <Field label="Requests per minute" hint="For example x10,scrape=100. Leave empty for the server default.">
          {input('rateLimits', { spellcheck: false })}
        </Field>
        <FormButtons label={team === undefined ? 'Create team' : 'Save'} action={send} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

function entriesOf(team: TeamSummary | undefined): Entries {
  return {
    name: '',
    credits: textOf(team?.credits),
    more: '',
    maxConcurrency: textOf(team?.maxConcurrency),
    rateLimits: team?.rateLimits ?? '',
  }
}

function textOf(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value)
}
function numberOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text)
}

function toTeam({ name, credits, maxConcurrency, rateLimits }: Entries): CreateTeamOptions {
  return {
    name: name.trim(),
    credits: numberOf(credits),
    maxConcurrency: numberOf(maxConcurrency),
    rateLimits: rateLimits.trim() === '' ? null : rateLimits.trim(),
  }
}

/** Only changed fields, so that a balance that changed meanwhile is not overwritten. */
function toChanges(before: Entries, { credits, more, maxConcurrency, rateLimits }: Entries): TeamChanges {
  return {
    ...(more === '' ? credits !== before.credits && { credits: numberOf(credits) } : { addCredits: Number(more) }),
    ...(maxConcurrency !== before.maxConcurrency && { maxConcurrency: numberOf(maxConcurrency) }),
    ...(rateLimits !== before.rateLimits && { rateLimits: rateLimits.trim() === '' ? null : rateLimits.trim() }),
  }
}
