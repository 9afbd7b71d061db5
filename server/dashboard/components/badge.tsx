import type { ComponentChildren } from 'preact'

/** Colour of a badge. */
export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'accent'

interface BadgeProps {
  readonly tone?: Tone
  /** Tooltip. */
  readonly title?: string | undefined
  readonly children: ComponentChildren
}

/** A word in a coloured pill. */
export function Badge({ tone = 'plain', title, children }: BadgeProps) {
  return (
    <span class="badge" data-tone={tone} title={title}>
      {children}
    </span>
  )
}

const tones: Readonly<Record<string, Tone>> = {
  active: 'good',
  completed: 'good',
  complete: 'good',
  same: 'plain',
  ready: 'good',
  delivered: 'good',
  pending: 'accent',
  scraping: 'accent',
  processing: 'accent',
  running: 'accent',
  queued: 'accent',
  new: 'accent',
  changed: 'warn',
  partial: 'warn',
  paused: 'warn',
  removed: 'warn',
  failed: 'bad',
  error: 'bad',
}

/** An API status as a coloured badge. */
export function Status({ status, title }: { readonly status: string; readonly title?: string | undefined }) {
  return (
    <Badge tone={tones[status] ?? 'plain'} title={title}>
      {status.replaceAll('_', ' ')}
    </Badge>
  )
}
