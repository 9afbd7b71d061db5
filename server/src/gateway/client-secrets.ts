import { z } from 'zod'
import { secretName } from 'bowline/contract/secrets'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { CdpCommand } from '../cdp/message.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { ClientPages } from './client-pages.ts'

/** Dependencies of `ClientSecrets`. */
export interface ClientSecretsDeps {
  readonly session: Pick<LiveSession, 'secrets' | 'row'>
  readonly pages: Pick<ClientPages, 'pageOf'>
  /** Sends a response to the client. */
  readonly send: (message: object) => void
}

/** Far larger than any result of a tool. Also for all texts of a client that wait to be masked. */
const maxMaskedCharacters = 2_000_000

/** Parameters of the commands. Others are ignored, as Chromium does. */
const commandParams = {
  'Bowline.typeSecret': z.object({
    name: secretName,
    targetId: z.string().max(200).optional(),
    slowly: z.boolean().default(false),
  }),
  'Bowline.maskSecrets': z.object({
    texts: z
      .array(z.string())
      .max(100)
      .refine((texts) => charactersOf(texts) <= maxMaskedCharacters, {
        error: `must have at most ${maxMaskedCharacters} characters in total`,
      }),
  }),
} as const

/**
 * Executes the commands of the domain `Bowline` for one CDP client: types secrets by their names,
 * and masks the typed ones in texts. The client never receives a value.
 */
export class ClientSecrets {
  readonly #deps: ClientSecretsDeps
  /** Characters of texts that wait to be masked. */
  #waiting = 0
  /** Settles once the texts of earlier commands are masked. */
  #masked: Promise<unknown> = Promise.resolve()

  constructor(deps: ClientSecretsDeps) {
    this.#deps = deps
  }

  /** Executes a command and sends its response. Never rejects. */
  async execute(command: CdpCommand): Promise<void> {
    const { id, sessionId } = command
    await this.#run(command).then(
      (result) => this.#deps.send({ id, sessionId, result }),
      (error: unknown) => this.#deps.send({ id, sessionId, error: { code: -32_000, message: describe(error) } }),
    )
  }

  async #run({ method, params = {}, sessionId }: CdpCommand): Promise<object> {
    const { secrets } = this.#deps.session
    switch (method) {
      case 'Bowline.typeSecret': {
        const { name, targetId, slowly } = commandParams[method].parse(params)
        const page = targetId ?? this.#deps.pages.pageOf(sessionId)
        if (page === undefined) {
          throw new BowlineError('BAD_REQUEST', `${method} needs \`targetId\` outside the session of a page`)
        }
        await secrets.type(page, name, { slowly })
        return {}
      }
      case 'Bowline.maskSecrets':
        return { texts: await this.#mask(commandParams[method].parse(params).texts) }
      default:
        throw new BowlineError('CDP_FAILED', `'${method.slice(0, 100)}' wasn't found`)
    }
  }

  /** Masks the texts of one command after another, so that many do not share each turn. */
  async #mask(texts: readonly string[]): Promise<readonly string[]> {
    const characters = charactersOf(texts)
    if (this.#waiting + characters > maxMaskedCharacters)
      throw new BowlineError(
        'BAD_REQUEST',
        'Too many texts are waiting to be masked. Wait for the responses to earlier commands',
      )
    this.#waiting += characters
    const { mask } = this.#deps.session.secrets
    const masking = this.#masked.then(async () => {
      const masked: string[] = []
      for (const text of texts) masked.push(await mask.applyInTurns(text))
      return masked
    })
    this.#masked = masking.catch(() => undefined).finally(() => (this.#waiting -= characters))
    return masking
  }
}

function charactersOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}

function describe(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues
    return `\`${issue?.path.join('.')}\` ${issue?.message}`
  }
  const hasCode = isBowlineError(error) && error.code !== 'CDP_FAILED'
  // Clients of CDP receive no other field that could tell one error from another.
  return hasCode ? `${error.code}: ${error.message}` : messageOf(error)
}
