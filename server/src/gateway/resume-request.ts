import { resumeQuery } from 'bowline/contract/resume'
import { BowlineError } from 'bowline/kit/errors'

/** A request for a connection that can be resumed, or to resume one. */
export interface ResumeRequest {
  /** Chosen by the client. */
  readonly key: string
  /** Messages that the client has received. Undefined: this is a new connection. */
  readonly received: number | undefined
}

/** Reads the query of a CDP URL. Throws BAD_REQUEST. */
export function readResumeRequest(params: URLSearchParams): ResumeRequest | undefined {
  const query = resumeQuery.safeParse({
    resume: params.get('resume') ?? undefined,
    received: params.get('received') ?? undefined,
  })
  if (!query.success) {
    const [issue] = query.error.issues
    throw new BowlineError('BAD_REQUEST', `\`${issue?.path.join('.')}\` ${issue?.message}`)
  }
  const { resume: key, received } = query.data
  if (key !== undefined) return { key, received }
  if (received === undefined) return undefined
  throw new BowlineError('BAD_REQUEST', '`received` needs `resume`, the key of the connection')
}
