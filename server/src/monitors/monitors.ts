import type { CreateMonitorRequest, UpdateMonitorRequest } from 'bowline/contract/monitors'
import type { Schedule } from 'bowline/contract/schedule'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid, uuidV7 } from 'bowline/kit/ids'
import { findCheck, findOpenCheck, insertCheck, listChecks, type CheckFilter, type CheckRow } from './queries/checks.ts'
import {
  countMonitors,
  findMonitor,
  insertMonitor,
  listMonitors,
  type MonitorFilter,
  lockTeam,
  updateMonitor,
  type ListedMonitor,
  type MonitorChange,
  type NewMonitor,
} from './queries/monitors.ts'
import { assertCredits } from '../billing/account.ts'
import { checkQueue } from './check-queue.ts'
import { assertMonitorSupported } from './assert-supported.ts'
import { estimateTargets } from './estimate.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { assignTargetIds } from './assign-target-ids.ts'
import { deleteStates } from './queries/pages.ts'
import { redactedOtherwise } from './redacted-otherwise.ts'
import { nextRun } from './next-run.ts'

/** The creator of a monitor. */
export interface Owner {
  readonly teamId: string
  readonly apiKeyId: string
  /** URL under which the client reached this server, without trailing slash. */
  readonly baseUrl: string
}

/** Creates, changes and runs monitors of teams. All methods with an id throw MONITOR_NOT_FOUND. */
export class Monitors {
  readonly #deps: MonitorDeps

  constructor(deps: MonitorDeps) {
    this.#deps = deps
  }

  /**
   * Creates a monitor. Throws MONITOR_QUOTA_EXCEEDED, EGRESS_REFUSED for its webhook, and
   * FORMAT_UNAVAILABLE, MAIL_UNAVAILABLE or BAD_REQUEST for options that this server does not
   * support.
   */
  async create(request: CreateMonitorRequest, { teamId, apiKeyId, baseUrl }: Owner): Promise<ListedMonitor> {
    const { store, mailer, maxMonitors } = this.#deps
    const { webhook, notification, goal, schedule } = request
    const targets = assignTargetIds(request.targets)
    assertMonitorSupported(this.#deps, targets, request)
    await this.#deps.webhooks.assertPermitted(webhook ?? undefined)
    const row: NewMonitor = {
      id: uuidV7(),
      teamId,
      apiKeyId,
      baseUrl,
      name: request.name,
      cron: schedule.cron,
      timezone: schedule.timezone,
      scheduleText: schedule.text ?? null,
      targets,
      webhook: webhook ?? null,
      notification,
      retentionDays: request.retentionDays,
      goal: goal ?? null,
      judgeEnabled: request.judgeEnabled ?? (goal ?? '') !== '',
      nextRunAt: firstRun(schedule),
    }
    await store.db.transaction().execute(async (db) => {
      // Two requests at once must not both take the last place.
      await lockTeam(db, teamId)
      if ((await countMonitors(db, teamId)) >= maxMonitors)
        throw new BowlineError('MONITOR_QUOTA_EXCEEDED', `A team can have at most ${maxMonitors} monitors`)
      await insertMonitor(db, row)
      await mailer?.subscribe(db, row, notification)
    })
    return this.get(row.id, teamId)
  }

  async list(filter: MonitorFilter): Promise<readonly ListedMonitor[]> {
    const { store, onError } = this.#deps
    return listMonitors(store.db, filter, (error) => onError(error, 'listing monitors'))
  }

  async get(id: string, teamId: string): Promise<ListedMonitor> {
    const row = isUuid(id) ? await findMonitor(this.#deps.store.db, id) : undefined
    if (row?.teamId === teamId) return row
    throw new BowlineError('MONITOR_NOT_FOUND', 'Monitor not found')
  }

  /** Changes the given fields of a monitor. Throws like `create`. */
  async update(id: string, teamId: string, request: UpdateMonitorRequest): Promise<ListedMonitor> {
    const { store, mailer } = this.#deps
    const old = await this.get(id, teamId)
    const { status = old.status, schedule = old, webhook, goal } = request
    const notification = request.notification === null ? {} : request.notification
    const targets = request.targets && assignTargetIds(request.targets, old.targets)
    // Only changed fields are checked, so that a monitor this server can no longer run can still be
    // paused.
    assertMonitorSupported(this.#deps, targets ?? [], {
      notification: notification ?? {},
      goal: goal === undefined ? old.goal : goal,
      judgeEnabled:
        request.judgeEnabled ?? (goal === undefined ? targets !== undefined && old.judgeEnabled : (goal ?? '') !== ''),
    })
    await this.#deps.webhooks.assertPermitted(webhook ?? undefined)
    const isRescheduled = status !== old.status || request.schedule !== undefined
    // Also checks the new schedule of a paused monitor.
    const nextRunAt =
      isRescheduled && (status === 'active' || request.schedule !== undefined) ? firstRun(schedule) : null
    const change: MonitorChange = {
      ...(request.name === undefined ? {} : { name: request.name }),
      ...(request.retentionDays === undefined ? {} : { retentionDays: request.retentionDays }),
      ...(targets === undefined ? {} : { targets }),
      ...(webhook === undefined ? {} : { webhook }),
      ...(notification === undefined ? {} : { notification }),
      ...(goal === undefined ? {} : { goal, judgeEnabled: (goal ?? '') !== '' }),
      ...(request.judgeEnabled === undefined ? {} : { judgeEnabled: request.judgeEnabled }),
      ...(request.schedule === undefined ? {} : { scheduleText: request.schedule.text ?? null }),
      ...(isRescheduled
        ? {
            status,
            cron: schedule.cron,
            timezone: schedule.timezone,
            nextRunAt: status === 'active' ? nextRunAt : null,
          }
        : {}),
    }
    await store.db.transaction().execute(async (db) => {
      if (!(await updateMonitor(db, { id, teamId }, change)))
        throw new BowlineError('MONITOR_NOT_FOUND', 'Monitor not found')
      if (notification !== undefined) await mailer?.subscribe(db, { id, teamId }, notification)
      await deleteStates(db, { monitorId: id, targetIds: redactedOtherwise(old.targets, targets ?? []) })
    })
    return this.get(id, teamId)
  }

  /**
   * Deletes a monitor. A running check ends within seconds. It is billed for its pages and sends no
   * notification.
   */
  async delete(id: string, teamId: string): Promise<void> {
    const deletion = { status: 'deleted', nextRunAt: null } as const
    // Works without reading it, so that a monitor that cannot be read can be deleted.
    if (isUuid(id) && (await updateMonitor(this.#deps.store.db, { id, teamId }, deletion))) return
    throw new BowlineError('MONITOR_NOT_FOUND', 'Monitor not found')
  }

  /** Starts a check now. Throws MONITOR_PAUSED, CHECK_RUNNING or INSUFFICIENT_CREDITS. */
  async run(id: string, teamId: string): Promise<CheckRow> {
    const { store } = this.#deps
    const monitor = await this.get(id, teamId)
    if (monitor.status === 'paused') {
      throw new BowlineError('MONITOR_PAUSED', 'Monitor is paused. Resume it before running a check.')
    }
    const credits = estimateTargets(this.#deps, monitor.targets, { isJudged: monitor.judgeEnabled })
    await assertCredits(store.db, { teamId, credits })
    const check = await this.#enqueueCheck(id, teamId, credits)
    if (check !== undefined) return check
    const checkId = (await findOpenCheck(store.db, id))?.id
    const message = 'Monitor check is already running.'
    throw new BowlineError('CHECK_RUNNING', message, { body: { checkId }, details: { checkId } })
  }

  async #enqueueCheck(monitorId: string, teamId: string, estimatedCredits: number): Promise<CheckRow | undefined> {
    const { store, queues } = this.#deps
    return store.db.transaction().execute(async (db) => {
      const fields = { monitorId, teamId, estimatedCredits, scheduledFor: new Date() }
      const check = await insertCheck(db, { ...fields, status: 'queued', trigger: 'manual' })
      if (check !== undefined) await queues.send(checkQueue, { id: check.id }, { db, teamId })
      return check
    })
  }

  /** Returns the checks of a monitor, newest first. */
  async checks(filter: CheckFilter, teamId: string): Promise<readonly CheckRow[]> {
    const { store, onError } = this.#deps
    await this.get(filter.monitorId, teamId)
    return listChecks(store.db, filter, (error) => onError(error, 'listing checks'))
  }

  /** Returns one check of a monitor. Throws CHECK_NOT_FOUND. */
  async check(id: string, checkId: string, teamId: string): Promise<CheckRow> {
    await this.get(id, teamId)
    const check = isUuid(checkId) ? await findCheck(this.#deps.store.db, checkId) : undefined
    if (check?.monitorId === id) return check
    throw new BowlineError('CHECK_NOT_FOUND', 'Check not found')
  }

  /**
   * Returns the maximum price of one check of a monitor in credits, or 0 if this server can no
   * longer run it.
   */
  creditsPerCheck(monitor: ListedMonitor): number {
    try {
      return estimateTargets(this.#deps, monitor.targets, { isJudged: monitor.judgeEnabled })
    } catch {
      // The definition is no longer valid, so no check will run.
      return 0
    }
  }
}

function firstRun(schedule: Pick<Schedule, 'cron' | 'timezone'>): Date {
  const next = nextRun(schedule, new Date())
  if (next !== undefined) return next
  throw new BowlineError('BAD_REQUEST', `The schedule "${schedule.cron}" never runs, because no such date exists`, {
    hint: 'Check the day of the month and the month.',
  })
}
