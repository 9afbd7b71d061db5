import type { AgentEvent } from 'bowline/contract/agent'
import type { LanguageModel } from '../scrape/format/language-model.ts'
import type { Store } from '../store/store.ts'
import { AgentBrowser, type AgentBrowserDeps } from './agent-browser.ts'
import { createScrapeTool, createSearchTool, type AgentScope, type AgentToolDeps } from './agent-tools.ts'
import { BudgetExceeded, type BudgetShare } from './budget.ts'
import type { AssistantMessage, ChatMessage, ToolCall } from './chat.ts'
import { AgentFailure, createFinishTool, finishName, type FinishTool } from './finish-tool.ts'
import type { SchemaChecker } from '../json-schema/schema-checker.ts'
import { runToolLoop, type LoopTool, type StepTools, type ToolOutput } from './tool-loop.ts'
import type { EventFields, Trace } from './trace.ts'

/** Dependencies of `AgentRun`. */
export interface AgentRunDeps extends AgentToolDeps, AgentBrowserDeps {
  readonly languageModel: LanguageModel
  readonly schemas: SchemaChecker
}

/** State with which a run starts or continues. */
export interface AgentRunState extends AgentScope {
  readonly trace: Trace
  /** The conversation so far. */
  readonly messages: ChatMessage[]
  /** Number of browser sessions so far. */
  readonly sessionCount: number
  /** Sends the actions of a step to the webhook, in the transaction of the step. */
  readonly onActions: (db: Store['db'], actions: readonly AgentAction[]) => Promise<void>
}

/** A call of a tool, as webhooks report it. */
export interface AgentAction {
  readonly action: string
  readonly input: unknown
  readonly creditsUsed: number
}

/** Maximum number of messages of the model. */
const maxSteps = 50

const maxNudges = 2

/** Maximum number of characters of an output in an event. The snapshot has all of it. */
const maxResultCharacters = 2000

/** One attempt at the task of an agent. */
export class AgentRun {
  readonly #deps: AgentRunDeps
  readonly #state: AgentRunState
  readonly #browser: AgentBrowser
  readonly #finish: FinishTool
  #stepShare: BudgetShare | undefined

  constructor(deps: AgentRunDeps, state: AgentRunState) {
    this.#deps = deps
    this.#state = state
    const { trace, sessionCount: count, job } = state
    this.#browser = new AgentBrowser(deps, state, { count, record: async (event) => trace.record({ events: [event] }) })
    this.#finish = createFinishTool(job.request.schema, deps.schemas.checkerOf(job.teamId, job.request.schema))
  }

  /**
   * Does the task, and returns its result. Throws AgentFailure, BudgetExceeded,
   * LANGUAGE_MODEL_FAILED, AgentStopped, or the signal's reason.
   */
  async run(signal: AbortSignal): Promise<unknown> {
    const { messages, trace } = this.#state
    const { languageModel: model } = this.#deps
    const tools = await this.#tools()
    const observer = {
      beforeStep: async ({ isLast }: { readonly isLast: boolean }) => this.#beforeStep(tools, isLast),
      onMessage: async (message: AssistantMessage) => this.#onMessage(message),
      onOutput: async (call: ToolCall, output: ToolOutput) => this.#onOutput(call, output),
    }
    for (let nudges = 0; ; nudges += 1) {
      const { text } = await runToolLoop({ model, messages, maxSteps, observer, signal })
      const problem = text === undefined ? undefined : await this.#finish.acceptText(text)
      const result = this.#finish.result()
      if (result !== undefined) return result.data
      if (nudges >= maxNudges) throw new AgentFailure('The language model returned no result')
      const content = `Call the tool ${finishName} with the result. ${problem ?? ''}`
      messages.push({ role: 'user', content })
      await trace.record({ events: [], messages: [{ role: 'user', content }] })
    }
  }

  /** Ends the browser session. With `isFree`, it costs nothing. */
  async close({ isFree }: { readonly isFree: boolean }): Promise<void> {
    await this.#browser.end({ isFree })
  }

  async #tools(): Promise<readonly LoopTool[]> {
    const scrape = createScrapeTool(this.#deps, this.#state)
    // A search returns texts of pages that a strict agent may not read.
    const search = this.#state.pages.isStrict ? [] : [createSearchTool(this.#deps, this.#state)]
    const priced = [...search, scrape, ...(await this.#browser.tools())].map((tool) => withinBudget(tool, this.#state))
    return [...priced, this.#finish]
  }

  async #beforeStep(tools: readonly LoopTool[], isLast: boolean): Promise<StepTools> {
    const { budget } = this.#state
    const { agentStep } = this.#deps.prices
    this.#stepShare = await budget.reserve(agentStep)
    // Without credits for another message, this one must be the result.
    if (isLast || budget.left < agentStep) return { tools: [this.#finish], mustCall: finishName }
    return { tools }
  }

  async #onMessage(message: AssistantMessage): Promise<void> {
    const { trace, onActions } = this.#state
    const credits = this.#stepShare?.credits ?? 0
    this.#stepShare?.settle(credits)
    const calls = message.tool_calls ?? []
    const actions = calls.map((call) => ({
      action: call.function.name,
      input: parametersOf(call),
      creditsUsed: this.#state.budget.spent,
    }))
    const text = message.content ?? `Calls ${calls.map((call) => call.function.name).join(', ')}`
    await trace.record(
      {
        credits,
        messages: [message],
        events: [
          { type: 'reasoning.summary', text, creditsUsed: credits },
          ...calls.map((call) => ({
            type: 'tool_call.started',
            toolCallId: call.id,
            toolName: call.function.name,
            parameters: parametersOf(call),
          })),
        ],
      },
      async (db) => onActions(db, actions),
    )
  }

  async #onOutput(call: ToolCall, { text, isError, isFinal = false, credits = 0 }: ToolOutput): Promise<void> {
    const { id } = call
    const kind = isFinal ? 'json' : 'text'
    const artifact = { kind, artifactId: id, snapshotId: id, change: 'init', sourceToolCallId: id }
    const result = { text: text.slice(0, maxResultCharacters), isError, snapshotId: id }
    const finished: EventFields = {
      type: 'tool_call.finished',
      toolCallId: id,
      toolName: call.function.name,
      result,
      creditsUsed: credits,
    }
    await this.#state.trace.record({
      credits,
      messages: [{ role: 'tool', tool_call_id: id, content: text }],
      events: [finished, { type: 'artifact.updated', artifact }],
    })
  }
}

/** Returns the output of the step with an id: that of a tool, or the result as JSON. */
export function findSnapshot(
  steps: readonly { readonly messages: readonly ChatMessage[]; readonly events: readonly AgentEvent[] }[],
  id: string,
): string | undefined {
  const messages = steps.flatMap((step) => step.messages)
  const calls = messages.flatMap((message) => ('tool_calls' in message ? (message.tool_calls ?? []) : []))
  const finish = calls.find((call) => call.id === id && call.function.name === finishName)
  if (finish !== undefined) return finish.function.arguments
  const output = messages.find((message) => message.role === 'tool' && message.tool_call_id === id)
  return output?.content ?? undefined
}

/** Tells the model of a call that the budget does not cover, instead of ending the run. */
function withinBudget(tool: LoopTool, { budget }: AgentRunState): LoopTool {
  const { name, description, parameters } = tool
  return {
    name,
    description,
    parameters,
    run: async (input, signal) => {
      try {
        return await tool.run(input, signal)
      } catch (error) {
        if (!(error instanceof BudgetExceeded)) throw error
        return { text: `${error.message}: ${budget.left} credits are left. Finish with what you have.`, isError: true }
      }
    },
  }
}

function parametersOf({ function: { arguments: text } }: ToolCall): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
