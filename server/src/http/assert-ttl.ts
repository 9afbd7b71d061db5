import { z } from 'zod'
import { invalidRequest } from './errors.ts'

/**
 * Throws BAD_REQUEST if the lifetime of a session would exceed `--max-ttl`. `totalSeconds` is the
 * lifetime from creation to end.
 */
export function assertTtl(totalSeconds: number, maxTtlSeconds: number): void {
  if (totalSeconds <= maxTtlSeconds) return
  const limit = `at most ${maxTtlSeconds} s, the limit of this server (\`--max-ttl\`)`
  const message = `\`ttl\` must keep the lifetime of the session to ${limit}. It would be ${totalSeconds} s`
  throw invalidRequest(new z.ZodError([{ code: 'custom', path: ['ttl'], message, input: totalSeconds }]), 'body')
}
