import { BowlineError } from 'bowline/kit/errors'

/**
 * Whether a page may lead to a URL, by a redirect or a script. `isFrame`: whether a frame of the
 * page loads it, instead of the page itself. Default: false.
 */
export type MayFollow = (url: URL, isFrame?: boolean) => boolean

/** Creates the error for a URL whose host is not in `allowedDomains` of a request. */
export function hostNotAllowed({ host }: URL): BowlineError {
  return new BowlineError('EGRESS_REFUSED', `${host} is refused: the host is not in \`allowedDomains\` of the request`)
}
