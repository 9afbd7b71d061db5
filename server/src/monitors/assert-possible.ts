import type { Notification } from 'bowline/contract/monitors'
import { BowlineError } from 'bowline/kit/errors'
import type { KnownTarget } from './definition.ts'
import { estimateCheck } from './estimate.ts'
import type { MonitorDeps } from './monitor-deps.ts'

/** What is asked of a monitor besides its targets. */
export interface MonitorWishes {
  readonly notification: Notification
  readonly goal?: string | null | undefined
  /** Default: whether there is a goal. */
  readonly judgeEnabled?: boolean | undefined
}

/** Refuses what this server cannot do for a monitor. Throws FORMAT_UNAVAILABLE, MAIL_UNAVAILABLE, BAD_REQUEST. */
export function assertPossible(
  deps: Pick<MonitorDeps, 'scrapes' | 'searches' | 'languageModel' | 'mailer'>,
  targets: readonly KnownTarget[],
  { notification, goal, judgeEnabled }: MonitorWishes,
): void {
  const hasGoal = (goal ?? '') !== ''
  const isJudged = judgeEnabled ?? hasGoal
  estimateCheck(deps, targets, { isJudged })
  if (!hasGoal && judgeEnabled !== false && targets.some(({ type }) => type === 'search')) {
    throw new BowlineError('BAD_REQUEST', 'A search needs a `goal`, by which a language model judges what it finds', {
      hint: 'Set a `goal`, or `judgeEnabled: false` to be told of every new result.',
    })
  }
  if (isJudged && deps.languageModel === undefined) {
    throw new BowlineError('FORMAT_UNAVAILABLE', 'To judge changes takes a language model, and none is configured', {
      hint: 'Set `judgeEnabled: false`, or start the server with `--llm-url` and `--llm-model`.',
    })
  }
  if (notification.email?.enabled === true && deps.mailer === undefined) {
    throw new BowlineError('MAIL_UNAVAILABLE', 'This server sends no mail, so nobody can be told by mail')
  }
}
