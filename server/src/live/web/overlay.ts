import type { Ended } from '../server-message.ts'
import { elements } from './elements.ts'

/** State of the connection to the session. */
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
  deleted: 'It was ended by its owner.',
  ttl: 'It reached its time limit.',
  idle: 'It was idle for too long.',
  crashed: 'Its browser crashed.',
  drained: 'The server was shut down.',
  lost: 'The server that ran it was lost.',
  revoked: 'The API key that created it was revoked.',
}

/** Shows the phase in the header. */
export function showPhase(phase: Phase): void {
  document.body.dataset['phase'] = phase
  const label = elements.status.querySelector('span')
  if (label !== null) label.textContent = phaseNames[phase]
}

/** Shows a message over the canvas. `undefined` hides it. */
export function showOverlay(message: { readonly title: string; readonly text: string } | undefined): void {
  const { overlay } = elements
  overlay.hidden = message === undefined
  const [title, text, facts] = ['h2', 'p', 'dl'].map((name) => overlay.querySelector<HTMLElement>(name))
  if (title) title.textContent = message?.title ?? ''
  if (text) text.textContent = message?.text ?? ''
  if (facts) facts.hidden = true
}

/** Shows that the session has ended, with the reason, duration and credits. */
export function showEnd({ reason, durationMs, creditsBilled }: Ended): void {
  showPhase('ended')
  showOverlay({ title: 'This session has ended', text: reason === undefined ? '' : reasons[reason] })
  const facts = elements.overlay.querySelector('dl')
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
