import { sha256 } from 'bowline/kit/sha256'

/** Hashes by which a repeated request for a job is recognized. */
export interface RequestHashes {
  readonly requestHash: string
  /** Hash with the options that affect only the speed of the job, as earlier versions stored it. */
  readonly formerRequestHash: string
}

/**
 * Hashes a request for a job. Omits the name of the client program, which contains its version, and
 * the options that affect only the speed of the job.
 */
export function hashRequest(request: RequestFields): RequestHashes {
  const { origin: _origin, integration: _integration, ...former } = request
  const { maxConcurrency: _maxConcurrency, delay: _delay, ...rest } = former
  return { requestHash: hash(rest), formerRequestHash: hash(former) }
}

function hash(fields: object): string {
  return sha256(JSON.stringify(fields)).toString('hex')
}

interface RequestFields {
  readonly [name: string]: unknown
  readonly origin?: unknown
  readonly integration?: unknown
  readonly maxConcurrency?: unknown
  readonly delay?: unknown
}
