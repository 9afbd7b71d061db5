import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../../src/kit/message-of.ts'
import { withClient } from '../../lab/postgres.ts'
import type { Fleet } from '../fleet.ts'
import type { Body } from '../load/requests.ts'
import type { FinishedRun } from './laws.ts'
import { isOpenTask } from './rows.ts'

/** Milliseconds between two lines of progress. */
const logEveryMs = 10_000

/** Reads a path of the API. Returns undefined if that failed. */
export async function get({ members, apiKey }: Fleet, path: string): Promise<Body | undefined> {
  try {
    const response = await fetch(new URL(path, members[0]!.url), { headers: { authorization: `Bearer ${apiKey}` } })
    return response.ok ? ((await response.json()) as Body) : undefined
  } catch {
    return undefined
  }
}

/**
 * Waits until all jobs, checks, sessions, webhooks, saves of profiles and tasks have ended. Returns
 * those that do not end.
 */
export async function settle({ fleet, records, settleMs, log }: FinishedRun): Promise<readonly string[]> {
  const endMs = Date.now() + settleMs
  let logMs = Date.now() + logEveryMs
  for (;;) {
    const pending = [
      ...(await pendingJobs(fleet, records.jobs)),
      ...(await pendingChecks(fleet, records.checks)),
      ...(await pendingSessions(fleet)),
      ...(await pendingWebhooks(fleet)),
      ...(await pendingSaves(fleet)),
      ...(await pendingTasks(fleet)),
    ]
    if (pending.length === 0) return []
    if (Date.now() > endMs) return pending.map((each) => `not ended after ${settleMs / 1000} s: ${each}`)
    if (Date.now() > logMs) {
      log(`waiting for ${pending.join(', ')}`)
      logMs += logEveryMs
    }
    await sleep(500)
  }
}

async function pendingJobs(fleet: Fleet, jobs: FinishedRun['records']['jobs']): Promise<readonly string[]> {
  const pending: string[] = []
  for (const { path, id } of jobs) {
    const job = await get(fleet, `${path}/${id}?limit=1`)
    if (job?.['status'] !== 'completed')
      pending.push(`${path} ${id}: ${job?.['status']} ${job?.['completed']}/${job?.['total']}`)
  }
  return pending
}

async function pendingChecks(fleet: Fleet, checks: readonly string[]): Promise<readonly string[]> {
  const pending: string[] = []
  for (const path of checks) {
    const { status, error } = (await get(fleet, path))?.['data'] ?? {}
    if (status !== 'completed' && status !== 'partial') pending.push(`${path}: ${status} ${error ?? ''}`)
  }
  return pending
}

async function pendingSessions(fleet: Fleet): Promise<readonly string[]> {
  const sessions = (await get(fleet, '/v2/browser'))?.['sessions'] as { id: string; status: string }[] | undefined
  return (sessions ?? [{ id: 'unknown', status: 'active' }])
    .filter(({ status }) => status === 'active')
    .map(({ id }) => `session ${id} is active`)
}

async function pendingWebhooks(fleet: Fleet): Promise<readonly string[]> {
  const answer = await get(fleet, '/v2/team/webhooks/deliveries?status=pending')
  const deliveries = answer?.['data'] as { id: string; event: string; attempts: { error?: string }[] }[] | undefined
  return (deliveries ?? [{ id: 'unknown', event: '', attempts: [] }]).map(({ id, event, attempts }) => {
    // Failed attempts are repeated after 1 and 5 minutes.
    const failures = attempts.map(({ error }) => error).join(', ')
    return `webhook ${id} ${event} is pending after ${attempts.length} attempts (${failures})`
  })
}

/** Saves of profiles are repeated after up to a minute, once their storage responds again. */
async function pendingSaves({ members }: Fleet): Promise<readonly string[]> {
  const folders = members.map(async ({ name, dataDir }) => {
    const files = await readdir(join(dataDir, 'pending-profiles')).catch(() => [])
    return files.filter((file) => file.endsWith('.json')).map((file) => `${name} has yet to save ${file}`)
  })
  return (await Promise.all(folders)).flat()
}

/**
 * A task stays active if its server was cut off from the database while it fetched the task.
 * Another server takes it over, although its job may have ended meanwhile. In an embedded database
 * no fetch is lost.
 */
async function pendingTasks({ database }: Fleet): Promise<readonly string[]> {
  if (database === undefined) return []
  return withClient(database.url, async (client) => {
    const { rows } = await client.query<{ readonly name: string; readonly state: string }>(
      `select name, state from pgboss.job where ${isOpenTask}`,
    )
    return rows.map(({ name, state }) => `a task of the queue ${name} is ${state}`)
  }).catch((error: unknown) => [`the tasks cannot be read: ${messageOf(error)}`])
}
