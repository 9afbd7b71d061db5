import type { AgentOptions, AgentStatusResponse, AgentTraceResponse } from '../contract/agent.ts'
import { abortable, type Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'
import { sleep } from '../kit/sleep.ts'
import { pollRetries, type Call } from './call.ts'

/**
 * Result of `bowline.agent()`.
 *
 * @example
 * ```ts
 * import type { AgentResult } from 'bowline'
 *
 * function print({ data, creditsUsed }: AgentResult): void {
 *   console.log(JSON.stringify(data), `${creditsUsed} credits`)
 * }
 * ```
 */
export interface AgentResult {
  readonly id: string
  /** Result of the task, in the shape of `schema` if one was given. */
  readonly data: unknown
  /** Cost, with the browser sessions of the agent. */
  readonly creditsUsed: number
}

/** Agents, which do tasks with the language model of the server. */
export interface AgentCalls {
  /**
   * Lets an agent do a task with searches, scrapes and a browser session, and returns its result.
   *
   * Rejects with AGENT_FAILED if it fails, is cancelled or reaches `maxCredits`, with
   * INSUFFICIENT_CREDITS, and with NOT_IMPLEMENTED if the server has no language model. Aborting
   * cancels the agent.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   *
   * const bowline = new Bowline()
   * const { data, creditsUsed } = await bowline.agent('Find the heading of the page.', {
   *   urls: ['https://example.com'],
   *   strictConstrainToURLs: true,
   *   schema: { type: 'object', properties: { heading: { type: 'string' } } },
   *   maxCredits: 100,
   * })
   * console.log(data, creditsUsed)
   * ```
   */
  readonly agent: (prompt: string, options?: AgentOptions, requestOptions?: Abortable) => Promise<AgentResult>
  /** Starts an agent, and returns its id at once. Rejects like `agent`. */
  readonly startAgent: (prompt: string, options?: AgentOptions, requestOptions?: Abortable) => Promise<string>
  /**
   * Returns the state and result of an agent, up to 24 hours after its end. Rejects with
   * AGENT_NOT_FOUND.
   */
  readonly getAgent: (id: string, requestOptions?: Abortable) => Promise<AgentStatusResponse>
  /**
   * Cancels an agent. Its steps so far are billed. Rejects with CONFLICT if it has ended, and with
   * AGENT_NOT_FOUND.
   */
  readonly cancelAgent: (id: string, requestOptions?: Abortable) => Promise<void>
  /** Returns the steps of an agent with their costs. Rejects with AGENT_NOT_FOUND. */
  readonly getAgentTrace: (id: string, requestOptions?: Abortable) => Promise<AgentTraceResponse>
}

const firstPauseMs = 200
const longestPauseMs = 2000

/** Creates the calls for agents of a client. */
export function createAgents(call: Call): AgentCalls {
  const startAgent: AgentCalls['startAgent'] = async (prompt, options = {}, requestOptions = {}) => {
    const { id } = await call('startAgent', { body: { ...options, prompt } }, requestOptions)
    return id
  }
  const getAgent: AgentCalls['getAgent'] = async (id, requestOptions = {}) =>
    call('getAgent', { params: { id } }, requestOptions)
  const cancelAgent: AgentCalls['cancelAgent'] = async (id, requestOptions = {}) => {
    await call('cancelAgent', { params: { id } }, requestOptions)
  }
  const wait = async (id: string, requestOptions: Abortable): Promise<AgentResult> => {
    const polling = { ...requestOptions, minRetries: pollRetries }
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 1.5)) {
      const { status, data, error, creditsUsed } = await call('getAgent', { params: { id } }, polling)
      if (status === 'completed') return { id, data, creditsUsed }
      if (status === 'failed') {
        throw new BowlineError('AGENT_FAILED', `Agent ${id} failed: ${error ?? 'the server gave no reason'}`)
      }
      await sleep(pauseMs, requestOptions.signal)
    }
  }
  return {
    startAgent,
    getAgent,
    cancelAgent,
    getAgentTrace: async (id, requestOptions = {}) =>
      call('getAgentTrace', { params: { id }, query: {} }, requestOptions),
    agent: async (prompt, options = {}, requestOptions = {}) => {
      const { signal } = requestOptions
      signal?.throwIfAborted()
      // Not aborted, because an agent whose id never arrives could not be cancelled.
      const starting = startAgent(prompt, options)
      try {
        return await wait(await abortable(starting, signal), requestOptions)
      } catch (error) {
        // The agent may have ended meanwhile.
        if (signal?.aborted === true) await starting.then(cancelAgent).catch(() => undefined)
        signal?.throwIfAborted()
        throw error
      }
    },
  }
}
