import { z } from 'zod'
import type { Bowline } from '../../client/bowline.ts'
import type { DrivenBrowser, OpenBrowser } from '../browser/driven-browser.ts'
import type { Tab } from '../browser/tabs.ts'
import type { ToolOptions } from '../tool-options.ts'

/** Part of the result of a tool, as MCP defines it. */
export type Content =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource'
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string }
    }

/** Where a tool runs. */
export interface ToolContext {
  /** Returns the client of the caller. */
  readonly bowline: () => Bowline
  /** Returns the browser of the caller. Throws SESSION_NOT_FOUND for an unknown handle. */
  readonly browser: () => DrivenBrowser
  readonly options: ToolOptions
  /** Aborts when the client cancels the call. */
  readonly signal: AbortSignal
}

/** A tool that clients can call. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  /** Whether the tool only reads. Only such tools are available in read-only mode. */
  readonly isReadOnly: boolean
  /** Whether the tool works on the browser session of the caller. */
  readonly usesBrowser: boolean
  readonly run: (input: never, context: ToolContext) => Promise<readonly Content[]>
}

/** The browser of a call, and the tab that it works on. */
export interface BrowserScope extends ToolContext {
  readonly open: OpenBrowser
  readonly tab: Tab
}

interface Definition<Shape extends z.ZodRawShape, Scope> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Shape
  readonly isReadOnly: boolean
  readonly run: (input: z.output<z.ZodObject<Shape>>, scope: Scope) => Promise<readonly Content[]>
}

/** Defines a tool of the service, which needs no session. */
export function serviceTool<Shape extends z.ZodRawShape>({ input, ...tool }: Definition<Shape, ToolContext>): Tool {
  return { ...tool, input: z.object(input), usesBrowser: false }
}

/**
 * Defines a tool that works on the browser session. Calls of one session run one after another.
 */
export function browserTool<Shape extends z.ZodRawShape>({
  input,
  run,
  ...tool
}: Definition<Shape, BrowserScope>): Tool {
  return {
    ...tool,
    input: z.object(input),
    usesBrowser: true,
    run: async (given: z.output<z.ZodObject<Shape>>, context) =>
      context.browser().use(async (open) => {
        // The client may have cancelled the call while it waited for earlier ones.
        context.signal.throwIfAborted()
        return run(given, { ...context, open, tab: await open.tabs.current() })
      }),
  }
}

/** Arguments that name an element. */
export const elementInput = {
  element: z.string().optional().describe('Description of the element, for people who confirm the call'),
  ref: z.string().describe('Ref of the element in the snapshot, such as e12'),
}
