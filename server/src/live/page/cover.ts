import type { Ended } from '../server-message.ts'
import { elements } from './elements.ts'

/** Where the page stands with the session. */
export type Phase = 'connecting' | 'live' | 'paused' | 'reconnecting' | 'ended' | 'refused'

const phaseNames: Readonly<Record<Phase, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  paused: 'Paused',
  reconnecting: 'Reconnecting',
  ended: 'Ended',
  refused: 'Not available',
}

const reasons: Readonly<Record<NonNullable<Ended['reason']>, string>> = {
  deleted: 'It was closed by its owner.',
  ttl: 'Its time was over.',
  idle: 'Nothing was done with it for too long.',
  crashed: 'Its browser stopped unexpectedly.',
  drained: 'The server was shut down.',
  lost: 'The server that held it was lost.',
  revoked: 'The API key that created it was revoked.',
}

/** Says in the header where the page stands. */
export function showPhase(phase: Phase): void {
  document.body.dataset['phase'] = phase
  const label = elements.status.querySelector('span')
  if (label !== null) label.textContent = phaseNames[phase]
}

/** Lays a card with words over the picture; undefined takes it away. */
export function showCover(words: { readonly title: string; readonly text: string } | undefined): void {
  const { cover } = elements
  cover.hidden = words === undefined
  const [title, text, facts] = ['h1', 'p', 'dl'].map((name) => cover.querySelector<HTMLElement>(name))
  if (title) title.textContent = words?.title ?? ''
  if (text) text.textContent = words?.text ?? ''
  if (facts) facts.hidden = true
}

/** Says that the session has ended, why, and what it came to. */
export function showEnd({ reason, durationMs, creditsBilled }: Ended): void {
  showPhase('ended')
  showCover({ title: 'This session has ended', text: reason === undefined ? '' : reasons[reason] })
  const facts = elements.cover.querySelector('dl')
  if (facts === null) return
  facts.replaceChildren(
    ...fact('Duration', durationMs === undefined ? undefined : duration(durationMs)),
    ...fact('Credits', creditsBilled?.toString()),
  )
  facts.hidden = facts.children.length === 0
}

function fact(name: string, value: string | undefined): readonly HTMLElement[] {
  if (value === undefined) return []
  const [group, term, detail] = ['div', 'dt', 'dd'].map((tag) => document.createElement(tag))
  if (!group || !term || !detail) return []
  term.textContent = name
  detail.textContent = value
  group.append(term, detail)
  return [group]
}

function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}
