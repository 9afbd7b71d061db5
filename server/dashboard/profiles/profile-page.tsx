import { useState } from 'preact/hooks'
import type { ProfileVersion } from 'bowline/contract/profiles'
import type { Action } from '../frame/use-action.ts'
import { useAction } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { goTo, linkTo } from '../frame/route.ts'
import { useNotices } from '../frame/notices.tsx'
import { BackLink } from '../frame/back-link.tsx'
import { Badge } from '../components/badge.tsx'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { DataTable, type Column } from '../components/data-table.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatBytes } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { saveAs } from '../components/save-as.ts'
import { Ago } from '../components/time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { ImportProfile } from './import-profile.tsx'
import { ProfileStatus } from './profile-status.tsx'

/** A profile with its versions. */
export function ProfilePage({ name }: { readonly name: string }) {
  const { value, apiError, reload } = useLoaded(
    `profile ${name}`,
    async (api, signal) => {
      const [profile, versions] = await Promise.all([
        api.call('getProfile', { params: { name } }, signal),
        api.call('listProfileVersions', { params: { name } }, signal),
      ])
      return { profile: profile.data, versions: versions.data }
    },
    { pollMs: 5000 },
  )
  const isLocked = value?.profile.isLocked === true
  const { notify } = useNotices()
  const rollBack = useAction(async (api, version: number) =>
    api.call('rollBackProfile', { params: { name, version: String(version) } }),
  )
  const [isImporting, setIsImporting] = useState(false)
  return (
    <Page
      title={name}
      before={<BackLink to={['profiles']}>Profiles</BackLink>}
      lead="Sessions start with the current version."
      actions={<Actions name={name} isLocked={isLocked} onImport={() => setIsImporting(true)} />}
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {isLocked && (
        <p>
          <ProfileStatus isLocked lockedBy={value.profile.lockedBy} /> Until it has ended, the profile cannot be
          deleted, restored or imported into.
        </p>
      )}
      {value?.versions.length === 0 && <p class="faint">No versions yet.</p>}
      {value !== undefined && value.versions.length > 0 && (
        <DataTable
          label="Versions"
          columns={columnsWith(rollBack, {
            isLocked,
            onDone: (version) => {
              notify(`Version ${version} is now current`)
              reload()
            },
          })}
          rows={value.versions}
          keyOf={({ version }) => String(version)}
        />
      )}
      {isImporting && <ImportProfile profile={name} onClose={() => setIsImporting(false)} onImported={reload} />}
    </Page>
  )
}

interface ActionsProps {
  readonly name: string
  /** Whether a session is writing the profile, which must not change meanwhile. */
  readonly isLocked: boolean
  readonly onImport: () => void
}

function Actions({ name, isLocked, onImport }: ActionsProps) {
  const remove = useAction(async (api) => api.call('deleteProfile', { params: { name } }))
  const download = useAction(async (api) => {
    const { data } = await api.call('exportStorageState', { params: { name } })
    saveAs(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), `${name}.json`)
  })
  return (
    <>
      <button type="button" class="button" disabled={download.isRunning} onClick={() => void download.run(undefined)}>
        <Icon name="file" />
        {download.isRunning ? 'Exporting…' : 'Export storageState'}
      </button>
      <button type="button" class="button" aria-keyshortcuts="n" disabled={isLocked} onClick={onImport}>
        <Icon name="plus" />
        Import storageState
      </button>
      <ConfirmButton
        icon="bin"
        label="Delete"
        question={`Delete ${name}?`}
        text="All versions are deleted. Running sessions are not affected."
        isRunning={remove.isRunning}
        isDisabled={isLocked}
        onConfirm={() => void remove.run(undefined).then((isDone) => isDone && goTo(['profiles']))}
      />
    </>
  )
}

interface RestoreOptions {
  readonly isLocked: boolean
  readonly onDone: (version: number) => void
}

function columnsWith(
  rollBack: Action<number>,
  { isLocked, onDone }: RestoreOptions,
): readonly Column<ProfileVersion>[] {
  return [
    {
      title: 'Version',
      cell: ({ version, isCurrent, sessionId, browser }) => (
        <>
          {version} {isCurrent && <Badge tone="good">current</Badge>}
          <small class="narrow">
            by <SavedBy sessionId={sessionId} />, {browser}
          </small>
        </>
      ),
    },
    { title: 'Saved', cell: ({ savedAt }) => <Ago time={savedAt} /> },
    {
      title: 'Saved by',
      isExtra: true,
      cell: ({ sessionId }) => <SavedBy sessionId={sessionId} />,
    },
    { title: 'Browser', isExtra: true, cell: ({ browser }) => browser },
    { title: 'Size', isNumber: true, cell: ({ contentBytes }) => formatBytes(contentBytes) },
    {
      title: 'Restore',
      isNumber: true,
      cell: ({ version, isCurrent }) =>
        !isCurrent && (
          <button
            type="button"
            class="button small"
            disabled={rollBack.isRunning || isLocked}
            onClick={() => void rollBack.run(version).then((isDone) => isDone && onDone(version))}
          >
            <Icon name="undo" />
            Restore
          </button>
        ),
    },
  ]
}

function SavedBy({ sessionId }: Pick<ProfileVersion, 'sessionId'>) {
  return sessionId === undefined ? (
    <span class="faint">import</span>
  ) : (
    <a href={linkTo(['sessions', sessionId])}>
      <code>{sessionId.slice(0, 13)}…</code>
    </a>
  )
}
