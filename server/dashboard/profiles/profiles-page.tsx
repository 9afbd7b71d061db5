import { useState } from 'preact/hooks'
import type { ProfileSummary } from 'bowline/contract/profiles'
import { useLoaded } from '../frame/use-loaded.ts'
import { linkTo } from '../frame/route.ts'
import { DataTable, type Column } from '../components/data-table.tsx'
import { Empty } from '../components/empty.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatBytes } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { Page } from '../components/page.tsx'
import { Snippet } from '../components/snippet.tsx'
import { Ago } from '../components/time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { ImportProfile } from './import-profile.tsx'
import { ProfileStatus } from './profile-status.tsx'

const columns: readonly Column<ProfileSummary>[] = [
  { title: 'Name', cell: ({ name }) => <a href={linkTo(['profiles', name])}>{name}</a> },
  { title: 'Saved', cell: ({ savedAt }) => <Ago time={savedAt} /> },
  { title: 'Status', cell: (profile) => <ProfileStatus isLocked={profile.isLocked} lockedBy={profile.lockedBy} /> },
  { title: 'Current version', isNumber: true, isExtra: true, cell: ({ version }) => version ?? '–' },
  { title: 'Versions kept', isNumber: true, isExtra: true, cell: ({ versions }) => versions },
  {
    title: 'Size',
    isNumber: true,
    isExtra: true,
    cell: ({ contentBytes }) => (contentBytes === undefined ? '–' : formatBytes(contentBytes)),
  },
  { title: 'Stored', isNumber: true, cell: ({ storedBytes }) => formatBytes(storedBytes) },
]

const snippets = {
  TypeScript: `await bowline.withSession({ profile: { name: 'my-login' }, driver: playwright }, async ({ page }) => {
  await page.goto('https://example.com/login')   // the next session is still signed in
})`,
  Shell: 'bowline profiles import my-login storage-state.json',
}

/** The profiles of the team. */
export function ProfilesPage() {
  const { value, apiError, reload } = useLoaded(
    'profiles',
    async (api, signal) => api.call('listProfiles', {}, signal),
    { pollMs: 5000 },
  )
  const [isImporting, setIsImporting] = useState(false)
  return (
    <Page
      title="Profiles"
      lead="Saved cookies and storage, with versions"
      actions={
        <button type="button" class="button primary" aria-keyshortcuts="n" onClick={() => setIsImporting(true)}>
          <Icon name="plus" />
          Import profile
        </button>
      }
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value?.data.length === 0 && (
        <Empty icon="profile" title="No profiles yet">
          <p>
            Name a profile when you start a session. It is created, and saved when the session ends. Or import a login
            as Playwright’s storageState.
          </p>
          <Snippet snippets={snippets} />
        </Empty>
      )}
      {value !== undefined && value.data.length > 0 && (
        <DataTable label="Profiles" columns={columns} rows={value.data} keyOf={({ name }) => name} />
      )}
      {isImporting && <ImportProfile onClose={() => setIsImporting(false)} />}
    </Page>
  )
}
