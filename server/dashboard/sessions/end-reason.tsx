import type { EndReason } from 'bowline/contract/browser'
import { endReasonTitles, titleOf } from 'bowline/contract/titles'
import { Badge } from '../components/badge.tsx'

/** All reasons, as the API names them. */
export const endReasons = Object.keys(endReasonTitles)

/** Words for a reason. An unknown one stays as it is. */
export function titleOfReason(reason: string): string {
  return titleOf(endReasonTitles, reason)
}

/** Why a session ended, with the name of the API as its tooltip. */
export function ReasonBadge({ reason }: { readonly reason: EndReason }) {
  return (
    <Badge tone={reason === 'crashed' || reason === 'lost' ? 'bad' : 'plain'} title={`endReason: ${reason}`}>
      {titleOfReason(reason)}
    </Badge>
  )
}
