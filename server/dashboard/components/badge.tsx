import type { ComponentChildren } from 'preact'

/** What a badge tells at a glance. */
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

/** A status of the API in its colour. */
export function Status({ status }: { readonly status: string }) {
  return <Badge tone={tones[status] ?? 'plain'}>{status.replaceAll('_', ' ')}</Badge>
}
