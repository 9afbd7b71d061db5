import { useState } from 'preact/hooks'
import { useAction } from '../api/use-action.ts'
import { useLoaded } from '../api/use-loaded.ts'
import { Back } from '../components/back.tsx'
import { Status } from '../components/badge.tsx'
import { Confirm } from '../components/confirm.tsx'
import { FaultNote } from '../components/fault-note.tsx'
import { formatDuration, formatNumber } from '../components/format.ts'
import { Numeral } from '../components/numeral.tsx'
import { Page } from '../components/page.tsx'
import { Progress } from '../components/progress.tsx'
import { Ago } from '../components/time.tsx'
import { Waiting } from '../components/waiting.tsx'
import { JobErrors } from './job-errors.tsx'
import { JobPages } from './job-pages.tsx'
import { cancelJob, isRunning, jobKinds, readJob, type JobKind, type JobStatus } from './job-calls.ts'

const pageSize = 20
const everyMs = 2000

/** One job: how far it is, its pages and its errors. */
export function JobPage({ kind, id }: { readonly kind: JobKind; readonly id: string }) {
  const [skip, setSkip] = useState(0)
  const [isOver, setIsOver] = useState(false)
  const { value, fault, reload } = useLoaded(
    `job ${id} ${skip}`,
    async (api, signal) => {
      const state = await readJob(api, { kind, id }, { skip, limit: pageSize }, signal)
      setIsOver(!isRunning(state))
      return state
    },
    { everyMs: isOver ? undefined : everyMs },
  )
  const cancel = useAction(async (api) => cancelJob(api, { kind, id }))
  return (
    <Page
      title={jobKinds[kind].title}
      before={<Back to={['jobs']}>Jobs</Back>}
      lead={
        <>
          <code>{id}</code> {value !== undefined && <Status status={value.status} />}
        </>
      }
      actions={
        isRunning(value) &&
        kind !== 'extract' && (
          <Confirm
            icon="stop"
            label="Cancel job"
            question="Cancel this job?"
            text="Pages that are done stay; the others are not scraped."
            isRunning={cancel.isRunning}
            onConfirm={() => void cancel.run(undefined).then(reload)}
          />
        )
      }
    >
      <FaultNote fault={fault} onRetry={reload} />
      {value === undefined && fault === undefined && <Waiting />}
      {value !== undefined && (
        <>
          <Facts state={value} />
          {[value.warning, value.error].map((text) => text !== undefined && <p class="notice-line">{text}</p>)}
          {kind === 'extract' ? (
            <pre class="output">{JSON.stringify(value.data, null, 2)}</pre>
          ) : (
            <>
              <JobPages state={value} skip={skip} pageSize={pageSize} onSkip={setSkip} />
              <JobErrors path={`${jobKinds[kind].path}/${encodeURIComponent(id)}/errors`} isRunning={!isOver} />
            </>
          )}
        </>
      )}
    </Page>
  )
}

function Facts({ state }: { readonly state: JobStatus }) {
  const { completed, total, creditsUsed, createdAt, duration, expiresAt } = state
  return (
    <div class="numerals">
      {total !== undefined && (
        <Numeral title="Pages" value={`${formatNumber(completed ?? 0)} of ${formatNumber(total)}`}>
          <Progress done={completed ?? 0} total={total} label="Pages done" />
        </Numeral>
      )}
      {creditsUsed !== undefined && <Numeral title="Credits" value={formatNumber(creditsUsed)} />}
      {createdAt !== undefined && (
        <Numeral
          title={duration === undefined ? 'Running for' : 'Took'}
          value={formatDuration((duration ?? sinceSeconds(createdAt)) * 1000)}
        >
          started <Ago time={createdAt} />
        </Numeral>
      )}
      {expiresAt !== undefined && (
        <Numeral title="Kept for" value={formatDuration(Math.max(0, Date.parse(expiresAt) - Date.now()))}>
          then it is removed
        </Numeral>
      )}
    </div>
  )
}

function sinceSeconds(time: string): number {
  return (Date.now() - Date.parse(time)) / 1000
}
