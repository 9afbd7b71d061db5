import type { Fault } from '../api/call.ts'
import { Empty } from './empty.tsx'
import { Icon } from './icon.tsx'

interface FaultNoteProps {
  readonly fault: Fault | undefined
  readonly onRetry?: (() => void) | undefined
}

/** Says what went wrong and what can be done. Nothing when there is no fault. */
export function FaultNote({ fault, onRetry }: FaultNoteProps) {
  if (fault === undefined) return null
  if (fault.isMissingRoute) {
    return (
      <Empty icon="clock" title="This server does not have that yet">
        <p>It answers “{fault.message}”. A newer version of the server may have it; everything else works as before.</p>
      </Empty>
    )
  }
  return (
    <section class="fault" role="alert">
      <Icon name="warning" />
      <div>
        <b>{fault.message}</b>
        {fault.hint !== undefined && <p>{fault.hint}</p>}
        <small>
          {[fault.code, fault.requestId === undefined ? undefined : `request ${fault.requestId}`]
            .filter((part) => part !== undefined)
            .join(' · ')}
        </small>
      </div>
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </section>
  )
}
