import type { ProfileSummary } from 'bowline/contract/profiles'
import { Badge } from '../components/badge.tsx'
import { linkTo } from '../frame/route.ts'

/** Whether a session is writing a profile, with a link to it. */
export function ProfileStatus({ isLocked, lockedBy }: Pick<ProfileSummary, 'isLocked' | 'lockedBy'>) {
  if (!isLocked) return <Badge>available</Badge>
  return (
    <Badge tone="warn">
      {lockedBy === undefined ? 'in use' : <a href={linkTo(['sessions', lockedBy])}>in use by a session</a>}
    </Badge>
  )
}
