import { useState } from 'preact/hooks'
import type { JobDetails, JobKind } from 'bowline/contract/jobs'
import { jobTitles } from 'bowline/contract/titles'
import { useAction } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { BackLink } from '../frame/back-link.tsx'
import { AndMore } from '../components/and-more.tsx'
import { Status } from '../components/badge.tsx'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatDuration, formatNumber } from '../components/format.ts'
import { Stat } from '../components/stat.tsx'
import { Page } from '../components/page.tsx'
import { Progress } from '../components/progress.tsx'
import { Ago } from '../components/time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { JobErrors } from './job-errors.tsx'
import { JobOptionsCard } from './job-options-card.tsx'
import { JobPages } from './job-pages.tsx'
import { countPages, describeWarning } from './job-state.ts'
import { cancelJob, isRunning, readJob, readJobDetails, type CancellableKind, type JobStatus } from './job-calls.ts'

const pageSize = 20
const pollMs = 2000

/** The status, pages and errors of a job. */
export function JobPage({ kind, id }: { readonly kind: JobKind; readonly id: string }) {
  const [skip, setSkip] = useState(0)
  const [hasEnded, setHasEnded] = useState(false)
  const { value, apiError, reload } = useLoaded(
    `job ${id} ${skip}`,
    async (api, signal) => {
      const state = await readJob(api, { kind, id }, { skip, limit: pageSize }, signal)
      setHasEnded(!isRunning(state))
      return state
    },
    { pollMs: hasEnded ? undefined : pollMs },
  )
  const { value: details } = useLoaded(`details of job ${id}`, async (api, signal) => readJobDetails(api, id, signal))
  const target = details?.target
  return (
    <Page
      title={jobTitles[kind]}
      tabTitle={target === undefined ? undefined : `${jobTitles[kind]} ${target}`}
      before={<BackLink to={['jobs']}>Jobs</BackLink>}
      lead={
        <>
          {details !== undefined && <Target details={details} />}
          <code>{id}</code>{' '}
          {details?.idempotencyKey !== undefined && (
            <span title="Idempotency key">
              key <code>{details.idempotencyKey}</code>
            </span>
          )}{' '}
          {value !== undefined && <Status status={value.status} />}
        </>
      }
      actions={isRunning(value) && kind !== 'extract' && <CancelButton kind={kind} id={id} onCancelled={reload} />}
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value !== undefined && (
        <>
          <Facts state={value} />
          {[value.warning && describeWarning(value.warning), value.error].map(
            (text) => text !== undefined && <p class="notice-line">{text}</p>,
          )}
          {details !== undefined && <JobOptionsCard details={details} />}
          {kind === 'extract' || kind === 'agent' ? (
            value.data !== undefined && <pre class="output">{JSON.stringify(value.data, null, 2)}</pre>
          ) : (
            <>
              <JobPages state={value} skip={skip} pageSize={pageSize} onSkip={setSkip} />
              <JobErrors kind={kind} id={id} isRunning={!hasEnded} />
            </>
          )}
        </>
      )}
    </Page>
  )
}

function Target({ details }: { readonly details: JobDetails }) {
  return (
    <span class="job-target">
      {details.target} {details.kind === 'batch_scrape' && <AndMore pages={countPages(details)?.all} />}
    </span>
  )
}

interface CancelButtonProps {
  readonly kind: CancellableKind
  readonly id: string
  readonly onCancelled: () => void
}

function CancelButton({ kind, id, onCancelled }: CancelButtonProps) {
  const cancel = useAction(async (api) => cancelJob(api, { kind, id }))
  return (
    <ConfirmButton
      icon="stop"
      label="Cancel job"
      question="Cancel this job?"
      text={
        kind === 'agent'
          ? 'Its steps so far are billed.'
          : 'Scraped pages are kept. The remaining pages are not scraped.'
      }
      isRunning={cancel.isRunning}
      onConfirm={() => void cancel.run(undefined).then(onCancelled)}
    />
  )
}

function Facts({ state }: { readonly state: JobStatus }) {
  const counts = countPages(state)
  const { creditsUsed, createdAt, duration, expiresAt } = state
  return (
    <div class="stats">
      {counts !== undefined && (
        <Stat title="Pages" value={`${formatNumber(counts.completed)} of ${formatNumber(counts.all)}`}>
          <Progress done={counts.completed} total={counts.all} label="Pages done" />
          {counts.failed > 0 && `${formatNumber(counts.failed)} failed`}
        </Stat>
      )}
      {creditsUsed !== undefined && <Stat title="Credits" value={formatNumber(creditsUsed)} />}
      {createdAt !== undefined && (
        <Stat
          title={duration === undefined ? 'Running for' : 'Duration'}
          value={formatDuration((duration ?? sinceSeconds(createdAt)) * 1000)}
        >
          started <Ago time={createdAt} />
        </Stat>
      )}
      {expiresAt !== undefined && (
        <Stat title="Expires in" value={formatDuration(Math.max(0, Date.parse(expiresAt) - Date.now()))}>
          results are then deleted
        </Stat>
      )}
    </div>
  )
}

function sinceSeconds(time: string): number {
  return (Date.now() - Date.parse(time)) / 1000
}
