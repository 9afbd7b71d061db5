import type { Notification } from 'bowline/contract/monitors'
import { BowlineError } from 'bowline/kit/errors'
import type { StoredTarget } from './definition.ts'
import { estimateTargets } from './estimate.ts'
import type { MonitorDeps } from './monitor-deps.ts'

/** Options of a monitor that depend on the configuration of the server. */
export interface MonitorOptions {
  readonly notification: Notification
  readonly goal?: string | null | undefined
  /** Default: `true` if there is a goal. */
  readonly judgeEnabled?: boolean | undefined
}

/**
 * Rejects targets and options that this server cannot support. Throws FORMAT_UNAVAILABLE,
 * MAIL_UNAVAILABLE or BAD_REQUEST.
 */
export function assertMonitorSupported(
  deps: Pick<MonitorDeps, 'scrapes' | 'searches' | 'languageModel' | 'mailer'>,
  targets: readonly StoredTarget[],
  { notification, goal, judgeEnabled }: MonitorOptions,
): void {
  const hasGoal = (goal ?? '') !== ''
  const isJudged = judgeEnabled ?? hasGoal
  estimateTargets(deps, targets, { isJudged })
  if (!hasGoal && judgeEnabled !== false && targets.some(({ type }) => type === 'search')) {
    throw new BowlineError(
      'BAD_REQUEST',
      'A search target needs a `goal`, by which a language model judges the results',
      {
        hint: 'Set a `goal`, or `judgeEnabled: false` to be notified of every new result.',
      },
    )
  }
  if (isJudged && deps.languageModel === undefined) {
    throw new BowlineError('FORMAT_UNAVAILABLE', 'Judging changes needs a language model, and none is configured', {
      hint: 'Set `judgeEnabled: false`, or start the server with `--llm-url` and `--llm-model`.',
    })
  }
  if (notification.email?.enabled === true && deps.mailer === undefined) {
    throw new BowlineError('MAIL_UNAVAILABLE', 'Email notifications need a mail server, and none is configured')
  }
}
