import type { CheckSummary } from 'bowline/contract/monitor-checks'
import { Badge, type Tone } from '../components/badge.tsx'

const parts: readonly { readonly name: keyof CheckSummary; readonly tone: Tone }[] = [
  { name: 'changed', tone: 'warn' },
  { name: 'new', tone: 'accent' },
  { name: 'removed', tone: 'warn' },
  { name: 'error', tone: 'bad' },
  { name: 'same', tone: 'plain' },
]

/** How many pages of a check are in which state. */
export function SummaryBadges({ summary }: { readonly summary: CheckSummary | null }) {
  if (summary === null) return <span class="faint">–</span>
  return (
    <span class="badges">
      {parts.map(({ name, tone }) => {
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
