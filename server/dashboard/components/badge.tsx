import type { ComponentChildren } from 'preact'

/** Colour of a badge. */
export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'accent'

/** A word in a coloured pill. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return (
    <span class="badge" data-tone={tone}>
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
export function Status({ status }: { readonly status: string }) {
  return <Badge tone={tones[status] ?? 'plain'}>{status.replaceAll('_', ' ')}</Badge>
}
