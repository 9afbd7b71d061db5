import type { Logger } from 'pino'
import { describeIsolation, isIsolated, type IsolationLayers } from '../browsers/isolation.ts'

/** Logs how browsers are isolated, as a warning if neither the sandbox nor bubblewrap is on. */
export function logIsolation(log: Logger, isolation: IsolationLayers): void {
  const states = Object.fromEntries(describeIsolation(isolation).map(({ name, state }) => [name, state]))
  if (isIsolated(isolation)) log.info({ isolation: states }, 'browsers are isolated')
  else
    log.warn(
      { isolation: states },
      'browsers run without isolation: a page that escapes its renderer has the rights of the server',
    )
}
