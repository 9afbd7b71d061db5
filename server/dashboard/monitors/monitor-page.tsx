import { useState } from 'preact/hooks'
import type { Monitor } from 'bowline/contract/monitor-checks'
import { useAction } from '../frame/use-action.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { goTo } from '../frame/route.ts'
import { BackLink } from '../frame/back-link.tsx'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { ErrorNote } from '../components/error-note.tsx'
import { formatNumber } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'
import { useNow } from '../components/use-now.ts'
import { Stat } from '../components/stat.tsx'
import { leadOfUnloaded, Page } from '../components/page.tsx'
import { Ago, Next } from '../components/time.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { deleteMonitor, describeTargets, readMonitor, runMonitor, updateMonitor } from './monitor-calls.ts'
import { MonitorChecks } from './monitor-checks.tsx'

/** A monitor with its checks. */
export function MonitorPage({ id }: { readonly id: string }) {
  const [isChecking, setIsChecking] = useState(false)
  const { value, apiError, reload } = useLoaded(
    `monitor ${id}`,
    async (api, signal) => {
      const read = await readMonitor(api, id, signal)
      setIsChecking(read.currentCheckId !== null)
      return read
    },
    { pollMs: isChecking ? 700 : 4000 },
  )
  return (
    <Page
      title={value?.name ?? 'Monitor'}
      before={<BackLink to={['monitors']}>Monitors</BackLink>}
      lead={value === undefined ? leadOfUnloaded(apiError) : describeTargets(value)}
      actions={value !== undefined && <Actions monitor={value} onChange={reload} />}
    >
      <ErrorNote apiError={apiError} onRetry={reload} />
      {value === undefined && apiError === undefined && <Skeleton />}
      {value !== undefined && (
        <>
          <Facts monitor={value} />
          <MonitorChecks monitor={value} />
        </>
      )}
    </Page>
  )
}

function Actions({ monitor, onChange }: { readonly monitor: Monitor; readonly onChange: () => void }) {
  const { id, name, status, currentCheckId } = monitor
  const isPaused = status === 'paused'
  const run = useAction(async (api) => runMonitor(api, id))
  const pause = useAction(async (api) => updateMonitor(api, id, { status: isPaused ? 'active' : 'paused' }))
  const remove = useAction(async (api) => deleteMonitor(api, id))
  return (
    <>
      <button
        type="button"
        class="button primary"
        disabled={run.isRunning || isPaused || currentCheckId !== null}
        onClick={() => void run.run(undefined).then(onChange)}
      >
        <Icon name="play" />
        {currentCheckId === null ? 'Check now' : 'Checking…'}
      </button>
      <button
        type="button"
        class="button"
        disabled={pause.isRunning}
        onClick={() => void pause.run(undefined).then(onChange)}
      >
        <Icon name={isPaused ? 'reload' : 'pause'} />
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <ConfirmButton
        icon="bin"
        label="Delete"
        question={`Delete ${name}?`}
        text="The monitor stops, and its checks are no longer available. This cannot be undone."
        isRunning={remove.isRunning}
        onConfirm={() => void remove.run(undefined).then((isDone) => isDone && goTo(['monitors']))}
      />
    </>
  )
}

function Facts({ monitor }: { readonly monitor: Monitor }) {
  return (
    <div class="stats">
      <Stat title="Status" value={monitor.status}>
        checks kept for {monitor.retentionDays} days
      </Stat>
      <Stat title="Schedule" value={monitor.schedule.text ?? monitor.schedule.cron}>
        {monitor.schedule.text !== undefined && (
          <>
            <code>{monitor.schedule.cron}</code>{' '}
          </>
        )}
        {monitor.schedule.timezone}
      </Stat>
      <Stat title="Credits per month" value={formatNumber(monitor.estimatedCreditsPerMonth)}>
        estimated
      </Stat>
      <NextCheck monitor={monitor} />
    </div>
  )
}

function NextCheck({ monitor: { status, nextRunAt, lastRunAt, currentCheckId } }: { readonly monitor: Monitor }) {
  const now = useNow(5000)
  const isLate = currentCheckId === null && nextRunAt !== null && now - Date.parse(nextRunAt) > lateMs
  return (
    <section class="stat">
      <h2>Next check</h2>
      <b>
        <Next time={nextRunAt} none={status === 'paused' ? 'none while paused' : 'none'} />
      </b>
      <small>
        {isLate && (
          <>
            The check has not started yet.
            <br />
          </>
        )}
        last check <Ago time={lastRunAt} none="never" />
      </small>
    </section>
  )
}

/** Servers start due checks within this time. */
const lateMs = 60_000
