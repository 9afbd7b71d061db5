import type { SessionSummary } from 'bowline/contract/browser'
import { linkTo } from '../frame/route.ts'

/** Length of a search in the API. */
const maxSearchLength = 200

/** The metadata of a session. Each value links to the sessions that have it. */
export function SessionTags({ metadata = {} }: Pick<SessionSummary, 'metadata'>) {
  return (
    <span class="badges">
      {Object.entries(metadata).map(([key, value]) => {
        const tag = `${key}=${value}`
        return (
          <a
            key={key}
            class="badge tag"
            href={linkTo(['sessions'], { search: tag.slice(0, maxSearchLength) })}
            title={tag}
          >
            <span>{tag}</span>
          </a>
        )
      })}
    </span>
  )
}
