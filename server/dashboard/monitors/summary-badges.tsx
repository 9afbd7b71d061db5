import type { CheckSummary } from 'bowline/contract/monitor-checks'
import { Badge, type Tone } from '../components/badge.tsx'

const statusTones: readonly { readonly name: keyof CheckSummary; readonly tone: Tone }[] = [
  { name: 'changed', tone: 'warn' },
  { name: 'new', tone: 'accent' },
  { name: 'removed', tone: 'warn' },
  { name: 'error', tone: 'bad' },
  { name: 'same', tone: 'plain' },
]

/** Number of pages of a check by status. */
export function SummaryBadges({ summary }: { readonly summary: CheckSummary | null }) {
  if (summary === null) return <span class="faint">–</span>
  return (
    <span class="badges">
      {statusTones.map(({ name, tone }) => {
        const count = Number(summary[name])
        return (
          count > 0 && (
            <Badge key={name} tone={tone}>
              {count} {name}
            </Badge>
          )
        )
      })}
    </span>
  )
}
