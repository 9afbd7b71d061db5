import { z } from 'zod'
import { handoffFields, handoffLimits } from 'bowline/contract/handoff'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { CdpCommand } from '../cdp/message.ts'
import { parseCommand } from '../cdp/parse-command.ts'
import type { Handoff, Handoffs } from '../handoff/handoffs.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import { expiringLiveViewUrl } from '../sessions/urls.ts'
import type { ClientPages } from './client-pages.ts'
import type { ClientTargets } from './client-targets.ts'
import { heldLimits, type HeldCommands } from './held-commands.ts'

/** Dependencies of `ClientHandoffs`. */
export interface ClientHandoffsDeps {
  readonly session: Pick<LiveSession, 'row'> & { readonly handoffs: Handoffs }
  /** URL under which the client reached the server, without trailing slash. */
  readonly baseUrl: string
  readonly held: HeldCommands
  readonly pages: Pick<ClientPages, 'pageOf'>
  readonly targets: Pick<ClientTargets, 'sessionsOf'>
  /** Sends an event or a response to the client. */
  readonly send: (message: object) => void
  /** Handles held commands, in order. */
  readonly release: (commands: readonly CdpCommand[]) => void
}

const dialogCommand = 'Page.handleJavaScriptDialog'

/**
 * Commands with which drivers use a page, in addition to the domain `Input`. Playwright scrolls to
 * an element before it clicks it. Once it has, a script in the page blocks clicks on all other
 * elements until the click, including those of the human.
 */
const inputCommands: ReadonlySet<string> = new Set([
  'Bowline.typeSecret',
  'DOM.focus',
  'DOM.scrollIntoViewIfNeeded',
  'DOM.setFileInputFiles',
  dialogCommand,
])

const reason = z.string().max(handoffLimits.reasonLength).optional()
const { targetId } = handoffFields

/** Parameters of the commands. Others are ignored, as Chromium does. */
const commandParams = {
  'Cloudflare.handoff': z.object({ ...handoffFields, instructions: handoffFields.instructions.default('') }),
  'Cloudflare.handoffComplete': z.object({ targetId, success: z.boolean().default(true), reason }),
  'Cloudflare.getHandoffState': z.object({ targetId }),
  'Cloudflare.getLiveView': z.object({
    targetId,
    mode: z.enum(['tab', 'full', 'devtools']).default('tab'),
    expiresInMs: z.int().min(60_000).max(3_600_000).default(300_000),
  }),
} as const

/**
 * The hand-offs of a session as one CDP client sees them: executes the commands of the domain
 * `Cloudflare`, sends its event, and holds input while a human has the page.
 */
export class ClientHandoffs implements Disposable {
  readonly #deps: ClientHandoffsDeps
  /** Sessions that asked for a hand-off, by its id. They may belong to another target. */
  readonly #askedBy = new Map<string, string | undefined>()
  readonly #stop: () => void

  constructor(deps: ClientHandoffsDeps) {
    this.#deps = deps
    this.#stop = deps.session.handoffs.onChange((handoff) => {
      if (handoff.end !== undefined) this.#complete(handoff)
    })
  }

  /**
   * Holds a command that is input for a page with an open hand-off. `bytes`: size of its message.
   * Returns why it is refused, or `undefined` if it may be sent. Call it only while one is open.
   */
  holdInput(command: CdpCommand, bytes: number): 'held' | { readonly refusal: string } | undefined {
    const { session, held } = this.#deps
    const { method, page } = this.#inputOf(command)
    if (!method.startsWith('Input.') && !inputCommands.has(method)) return undefined
    // A session whose page is not known may belong to any of them.
    const handoff = page === undefined ? session.handoffs.open[0] : session.handoffs.of(page)
    if (handoff === undefined) return undefined
    // Drivers dismiss dialogs on their own, and do not expect that to fail.
    if (handoff.input === 'fail' && method !== dialogCommand) {
      return { refusal: `${method}: the page is handed off to a human (${handoff.id}) and accepts no other input` }
    }
    held.open(queueOf(handoff))
    if (held.hold(queueOf(handoff), command, bytes) === 'held') return 'held'
    return { refusal: `${method}: ${heldLimits} are waiting for the end of the hand-off` }
  }

  /** Executes a command and sends its response. Never rejects. */
  async execute(command: CdpCommand): Promise<void> {
    const { id, sessionId } = command
    await this.#run(command).then(
      (result) => this.#deps.send({ id, sessionId, result }),
      (error: unknown) => {
        const message = error instanceof z.ZodError ? describeIssue(command, error) : messageOf(error)
        this.#deps.send({ id, sessionId, error: { code: -32_000, message } })
      },
    )
  }

  [Symbol.dispose](): void {
    this.#stop()
    this.#deps.held.clear()
  }

  async #run(command: CdpCommand): Promise<object> {
    const { handoffs, row } = this.#deps.session
    const params = command.params ?? {}
    switch (command.method) {
      case 'Cloudflare.getSessionId':
        return { sessionId: row.id }
      case 'Cloudflare.handoff':
        return this.#start(command)
      case 'Cloudflare.handoffComplete': {
        const parsed = commandParams[command.method].parse(params)
        const open = handoffs.of(this.#targetOf(command, parsed.targetId))
        if (open === undefined) throw new BowlineError('HANDOFF_NOT_FOUND', 'The page is not handed off to a human')
        handoffs.end(open.id, { isSuccess: parsed.success, endedBy: 'client', reason: parsed.reason })
        return {}
      }
      case 'Cloudflare.getHandoffState': {
        const parsed = commandParams[command.method].parse(params)
        return describeState(handoffs.of(this.#targetOf(command, parsed.targetId)))
      }
      case 'Cloudflare.getLiveView':
        return this.#liveView(command)
      default:
        throw new BowlineError('CDP_FAILED', `'${command.method.slice(0, 100)}' wasn't found`)
    }
  }

  async #start(command: CdpCommand): Promise<object> {
    const { handoffs } = this.#deps.session
    const { timeout: timeoutMs, ...params } = commandParams['Cloudflare.handoff'].parse(command.params ?? {})
    const page = this.#targetOf(command, params.targetId)
    const { id: handoffId } = await handoffs.start({ ...params, targetId: page, timeoutMs })
    if (handoffs.of(page)?.id === handoffId) this.#askedBy.set(handoffId, command.sessionId)
    return { targetId: page, handoffId }
  }

  /** All modes show the tab: the live view has no view of DevTools. */
  #liveView(command: CdpCommand): object {
    const { row } = this.#deps.session
    const { targetId: id, expiresInMs } = commandParams['Cloudflare.getLiveView'].parse(command.params ?? {})
    if (!row.streamWebView) throw new BowlineError('SESSION_NOT_FOUND', 'This session has no live view')
    const page = this.#targetOf(command, id)
    const expiresAtMs = Date.now() + expiresInMs
    return { devtoolsFrontendUrl: expiringLiveViewUrl(this.#deps.baseUrl, row, { targetId: page, expiresAtMs }) }
  }

  #targetOf({ method, sessionId }: CdpCommand, id: string | undefined): string {
    const page = id ?? this.#deps.pages.pageOf(sessionId)
    if (page !== undefined) return page
    throw new BowlineError('BAD_REQUEST', `${method} needs \`targetId\` outside the session of a page`)
  }

  /** The command that reaches the page, and the page. */
  #inputOf(command: CdpCommand): { readonly method: string; readonly page: string | undefined } {
    const { pages } = this.#deps
    const { method, params, sessionId } = command
    if (method !== 'Target.sendMessageToTarget') return { method, page: pages.pageOf(sessionId) }
    const inner = parseCommand(params?.['message'])
    const target = inner?.sessionId ?? params?.['sessionId']
    return { method: inner?.method ?? '', page: typeof target === 'string' ? pages.pageOf(target) : undefined }
  }

  /** Sends the event, and the commands that waited for it unless the session has ended. */
  #complete(handoff: Handoff): void {
    const { targets, send, held, release } = this.#deps
    const { id: handoffId, targetId: page, instructions, end } = handoff
    const params = { targetId: page, handoffId, instructions, success: end?.isSuccess, reason: end?.reason }
    const sessions = new Set(targets.sessionsOf(page))
    if (this.#askedBy.has(handoffId)) sessions.add(this.#askedBy.get(handoffId))
    this.#askedBy.delete(handoffId)
    for (const sessionId of sessions) send({ method: 'Cloudflare.handoffComplete', params, sessionId })
    const waiting = held.take(queueOf(handoff))
    // Those of a session that ends would be serialized for a browser that is closing.
    if (end?.endedBy !== 'session-ended') release(waiting)
  }
}

/** Distinct from the queues of `CdpSessionKinds`, whose names are ids. */
function queueOf({ id }: Handoff): string {
  return `handoff ${id}`
}

function describeState(handoff: Handoff | undefined): object {
  if (handoff === undefined) return { active: false }
  const { id: handoffId, instructions, timeoutMs: timeout, startedAt } = handoff
  return { active: true, handoffId, instructions, timeout, durationMs: Date.now() - startedAt.getTime() }
}

function describeIssue({ method }: CdpCommand, { issues: [issue] }: z.ZodError): string {
  return `${method}: \`${issue?.path.join('.')}\` ${issue?.message}`
}
