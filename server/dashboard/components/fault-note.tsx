import type { Fault } from '../api/call.ts'
import { Empty } from './empty.tsx'
import { Icon } from './icon.tsx'

interface FaultNoteProps {
  readonly fault: Fault | undefined
  readonly onRetry?: (() => void) | undefined
}

/** An error message with its hint. Renders nothing without a fault. */
export function FaultNote({ fault, onRetry }: FaultNoteProps) {
  if (fault === undefined) return null
  if (fault.isMissingRoute) {
    return (
      <Empty icon="clock" title="Not supported by this server">
        <p>The server responded with “{fault.message}”. A newer version of the server may support this.</p>
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
