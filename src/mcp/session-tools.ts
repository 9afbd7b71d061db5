import { z } from 'zod'
import type { Bowline } from '../client/bowline.ts'
import { abortable, mergeSignals } from '../kit/abort.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import { AttachedBrowser } from './browser/attached-browser.ts'
import { describeError } from './describe-error.ts'
import { resolveToolOptions } from './tool-options.ts'
import { availableTools } from './tools/tool-list.ts'
import type { Content, Tool } from './tools/tool.ts'

/** A tool, as language models are told of it. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** A call of a browser tool on a session. */
export interface SessionToolCall {
  readonly sessionId: string
  /** CDP URL of the session, for the first call. */
  readonly cdpUrl: string
  readonly tool: string
  readonly input: unknown
  /** Hosts that `browser_navigate` and new tabs may open. Default: all. */
  readonly allowedDomains?: readonly string[] | undefined
  /** Maximum size of a snapshot in estimated tokens. */
  readonly maxTokens: number
  readonly timeoutMs: number
}

/** Result of a tool. */
export interface SessionToolResult {
  readonly text: string
  readonly isError: boolean
}

/**
 * Browser tools for a language model that the server runs. They work on sessions that exist
 * already. Tools that read files, run scripts or ask a human are not among them.
 */
export class SessionTools implements AsyncDisposable {
  readonly #browsers = new Map<string, AttachedBrowser>()

  /** Number of sessions to which the tools are connected. */
  get size(): number {
    return this.#browsers.size
  }

  /** Describes the tools. */
  describe(): readonly ToolDescription[] {
    return tools().map(({ name, description, input }) => ({
      name,
      description,
      parameters: z.toJSONSchema(input, { io: 'input' }),
    }))
  }

  /** Calls a tool. Failures of the tool are part of the result. Throws PACKAGE_MISSING. */
  async call(call: SessionToolCall, signal: AbortSignal): Promise<SessionToolResult> {
    const tool = tools().find(({ name }) => name === call.tool)
    if (tool === undefined) return { text: `There is no tool ${JSON.stringify(call.tool)}.`, isError: true }
    const input = tool.input.safeParse(call.input)
    if (!input.success) return { text: `Invalid arguments: ${z.prettifyError(input.error)}`, isError: true }
    try {
      return { text: textOf(await this.#run(tool, input.data, call, signal)), isError: false }
    } catch (error) {
      signal.throwIfAborted()
      if (isBowlineError(error) && error.code === 'PACKAGE_MISSING') throw error
      return { text: describeError(error), isError: true }
    }
  }

  /** Disconnects from a session, which goes on. */
  async release(sessionId: string): Promise<void> {
    const browser = this.#browsers.get(sessionId)
    this.#browsers.delete(sessionId)
    await browser?.[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#browsers.keys()].map(async (id) => this.release(id)))
  }

  async #run(tool: Tool, input: unknown, call: SessionToolCall, signal: AbortSignal): Promise<readonly Content[]> {
    const { sessionId, cdpUrl, allowedDomains, maxTokens, timeoutMs } = call
    const browser = this.#browsers.get(sessionId) ?? new AttachedBrowser(cdpUrl)
    this.#browsers.set(sessionId, browser)
    const limited = mergeSignals(signal, AbortSignal.timeout(timeoutMs))
    const context = {
      browser: () => browser,
      options: resolveToolOptions({ allowedDomains, maxTokens }),
      signal: limited,
      bowline: (): Bowline => {
        throw new BowlineError('NOT_IMPLEMENTED', `${tool.name} is not available here`)
      },
    }
    try {
      // Playwright cannot cancel an action. The next call waits for its end.
      return await abortable(tool.run(input as never, context), limited)
    } catch (error) {
      signal.throwIfAborted()
      if (!limited.aborted) throw error
      throw new BowlineError('TIMEOUT', `${tool.name} took longer than ${timeoutMs / 1000} s`, {
        hint: 'Look at the page with browser_snapshot, or try something else.',
      })
    }
  }
}

const toolNames: ReadonlySet<string> = new Set([
  'browser_navigate',
  'browser_navigate_back',
  'browser_snapshot',
  'browser_wait_for',
  'browser_tabs',
  'browser_handle_dialog',
  'browser_click',
  'browser_hover',
  'browser_drag',
  'browser_type',
  'browser_fill_form',
  'browser_select_option',
  'browser_press_key',
])

function tools(): readonly Tool[] {
  return availableTools({ readOnly: false }).filter(({ name }) => toolNames.has(name))
}

function textOf(content: readonly Content[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}
