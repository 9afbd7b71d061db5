import { registerHooks } from 'node:module'

/** A fault planted in the server, which the laws must catch. */
export interface Mutation {
  readonly part: 'lifetimes' | 'waiting' | 'servers'
  /** Path below `server/src`. */
  readonly file: string
  readonly original: string
  readonly replacement: string
  /** Law that it breaks within 2000 schedules. */
  readonly brokenLaw: string
}

/** Faults by name. */
export const mutations: Readonly<Record<string, Mutation>> = {
  'bill by the wall clock': {
    part: 'lifetimes',
    file: 'sessions/session-clock.ts',
    original: 'readonly ageMs = (): number => performance.now() - this.#startedAtMs',
    replacement: 'readonly ageMs = (): number => Date.now() - this.#createdAt.getTime()',
    brokenLaw: 'a session is billed for the time it lived',
  },
  'forget uses': {
    part: 'lifetimes',
    file: 'sessions/session-clock.ts',
    original: 'return this.#lastUseMs + idleMs - this.ageMs()',
    replacement: 'return idleMs - this.ageMs()',
    brokenLaw: 'a session does not expire early',
  },
  'lost wake-up of the queue': {
    part: 'waiting',
    file: 'sessions/session-queue.ts',
    original: 'this.#timer ??= setInterval(() => this.#tick(), tickMs).unref()',
    replacement: '',
    brokenLaw: 'no slot stays free while a request waits for it',
  },
  'newest request first': {
    part: 'waiting',
    file: 'sessions/waiting-lines.ts',
    original: 'this.#lines.set(apiKeyId, [...(this.#lines.get(apiKeyId) ?? []), waiter])',
    replacement: 'this.#lines.set(apiKeyId, [waiter, ...(this.#lines.get(apiKeyId) ?? [])])',
    brokenLaw: 'the requests of a key are served in order',
  },
  'kept place in the line of a team': {
    part: 'waiting',
    file: 'sessions/team-turns.ts',
    original: 'entry?.turn?.[Symbol.dispose]()',
    replacement: '',
    brokenLaw: 'no place in the line of a team is left',
  },
  'double settle': {
    part: 'servers',
    file: 'sessions/session-account.ts',
    original: "await settle(transaction, id, { teamId, apiKeyId, kind: 'session',",
    replacement:
      "await settle(transaction, id, { teamId, apiKeyId, kind: 'map', subjectId: id, credits })\n    await settle(transaction, id, { teamId, apiKeyId, kind: 'session',",
    brokenLaw: 'every session is billed once',
  },
  'lost release': {
    part: 'servers',
    file: 'billing/billing.ts',
    original: 'if (holdId !== undefined && !isSettled) await this.#release(holdId)',
    replacement: '',
    brokenLaw: 'no hold is left',
  },
  'hold of a dead server': {
    part: 'servers',
    file: 'cluster/clean-up-dead-node.ts',
    original: 'await releaseHoldsOfNode(deps.store.db, nodeId)',
    replacement: '',
    brokenLaw: 'no hold is left',
  },
  'debit without a charge': {
    part: 'servers',
    file: 'billing/account.ts',
    original: 'set credits = team.credits - ${price}::bigint,',
    replacement: 'set credits = team.credits - ${price}::bigint - 1,',
    brokenLaw: 'the ledger equals the balance',
  },
  'lease without fencing': {
    part: 'servers',
    file: 'profiles/profile-queries.ts',
    original: `.where('id', '=', lease.profileId)
        .where('fence', '=', lease.fence)`,
    replacement: `.where('id', '=', lease.profileId)`,
    brokenLaw: 'only the newest lease commits a version',
  },
  'stray session': {
    part: 'servers',
    file: 'cluster/heartbeat.ts',
    original: 'if (sessions.isStray(row)) await endStraySession(deps, row)',
    replacement: '',
    brokenLaw: 'every session ends',
  },
  'retried bill of a later end': {
    part: 'servers',
    file: 'sessions/sessions.ts',
    original: 'const end = (entry.end ??= endOf(entry, how))',
    replacement: 'const end = endOf(entry, how)',
    brokenLaw: 'no session is billed for longer than it lived',
  },
}

/** Plants a fault. Modules that are loaded later have it. */
export function plant(name: string): void {
  const mutation = mutations[name]
  if (mutation === undefined)
    throw new Error(`Unknown mutation ${name}. Mutations: ${Object.keys(mutations).join(', ')}`)
  const { file, original, replacement } = mutation
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(`/server/src/${file}`)) return loaded
      const source = new TextDecoder().decode(loaded.source as Uint8Array)
      if (!source.includes(original)) throw new Error(`${file} does not contain what ${name} replaces`)
      return { ...loaded, source: source.replace(original, () => replacement) }
    },
  })
}
