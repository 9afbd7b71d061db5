import type { EndReason } from 'bowline/contract/browser'
import { Badge } from '../components/badge.tsx'

/** Words for the reasons. The contract's list has a schema, which the page does not load. */
const titles: Readonly<Record<EndReason, string>> = {
  deleted: 'by request',
  ttl: 'time limit',
  idle: 'idle',
  crashed: 'browser crashed',
  drained: 'server shut down',
  lost: 'server lost',
  revoked: 'key revoked',
}

/** All reasons, as the API names them. */
export const endReasons = Object.keys(titles)

/** Words for a reason. An unknown one stays as it is. */
export function titleOfReason(reason: string): string {
  return Object.hasOwn(titles, reason) ? titles[reason as EndReason] : reason
}

/** Why a session ended, with the name of the API as its tooltip. */
export function ReasonBadge({ reason }: { readonly reason: EndReason }) {
  return (
    <Badge tone={reason === 'crashed' || reason === 'lost' ? 'bad' : 'plain'} title={`endReason: ${reason}`}>
      {titleOfReason(reason)}
    </Badge>
  )
}

/** Status of a session as the dashboard names it. In the API, an ended session is `destroyed`. */
export function titleOfStatus(status: string): string {
  return status === 'destroyed' ? 'ended' : status
}
