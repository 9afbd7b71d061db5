import type { Logger } from 'pino'
import { describeIsolation, isHeld, type IsolationLayers } from '../browsers/isolation.ts'

/** Logs in which layers browsers run: as a warning when neither the sandbox nor bubblewrap holds them. */
export function logIsolation(log: Logger, layers: IsolationLayers): void {
  const isolation = Object.fromEntries(describeIsolation(layers).map(({ name, state }) => [name, state]))
  if (isHeld(layers)) log.info({ isolation }, 'browsers are isolated')
  else log.warn({ isolation }, 'browsers run without isolation: a page that breaks out has the rights of the server')
}
