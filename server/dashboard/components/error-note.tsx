import type { ApiError } from '../api/api.ts'
import { Empty } from './empty.tsx'
import { Icon } from './icon.tsx'

interface ErrorNoteProps {
  readonly apiError: ApiError | undefined
  readonly onRetry?: (() => void) | undefined
}

/** An error message with its hint. Renders nothing without an error. */
export function ErrorNote({ apiError, onRetry }: ErrorNoteProps) {
  if (apiError === undefined) return null
  if (apiError.isMissingRoute) {
    return (
      <Empty icon="clock" title="Not supported by this server">
        <p>The server responded with “{apiError.message}”. A newer version of the server may support this.</p>
      </Empty>
    )
  }
  return (
    <section class="fault" role="alert">
      <Icon name="warning" />
      <div>
        <b>{apiError.message}</b>
        {apiError.hint !== undefined && <p>{apiError.hint}</p>}
        <small>
          {[apiError.code, apiError.requestId === undefined ? undefined : `request ${apiError.requestId}`]
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
