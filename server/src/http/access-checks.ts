import type { RouteAuth } from 'bowline/contract/route-auth'
import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { equalSecrets } from 'bowline/kit/ids'
import { findMailLink, type MailLink } from '../monitors/mail/mail-link.ts'
import type { MailPurpose } from '../monitors/mail/mail-token.ts'
import { isRecordingsToken } from '../recordings/recordings.ts'
import { findScrapeFile, type ScrapeFile } from '../scrape/document/scrape-files.ts'
import { accessOfToken } from '../sessions/access-of-token.ts'
import { checkViewerToken, type AuthorizedViewer } from '../sessions/check-viewer-token.ts'
import { getSession, getTeamSession, sessionNotFound } from '../sessions/session-queries.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { Store } from '../store/store.ts'
import { isKeyRevoked, type KeyRow } from '../teams/key-queries.ts'
import type { Authenticator } from './auth.ts'
import type { RequestOrigin } from './request-origin.ts'

/** The access that each kind of authorization grants. */
export interface Access {
  readonly none: undefined
  readonly key: KeyRow
  readonly optionalKey: KeyRow | undefined
  readonly adminKeyOrMetricsToken: undefined
  readonly controlToken: SessionRow
  readonly keyOrControlToken: SessionRow
  readonly keyOrRecordingToken: SessionRow
  readonly viewerToken: AuthorizedViewer
  readonly scrapeFileToken: ScrapeFile
  readonly mailToken: MailLink
}

/** Credentials of a request or a WebSocket upgrade. */
export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined
  /** Where the request comes from, for the log of failures. */
  readonly from: RequestOrigin
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string | undefined>>
  /** Token in the URL or the body. `undefined` if there is none. */
  readonly token: string | undefined
}

/** Checks credentials. Each check throws the error of a request without access. */
export type AccessChecks = {
  readonly [Auth in Exclude<RouteAuth, 'keyAfterHandshake'>]: (credentials: Credentials) => Promise<Access[Auth]>
}

/** Dependencies of the checks. */
export interface AccessCheckDeps {
  readonly store: Store
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  /** Token that only grants access to the metrics. Default: none. */
  readonly metricsToken: string | undefined
}

/** Creates the check of each kind of authorization. */
export function createAccessChecks({ store, authenticator, metricsToken }: AccessCheckDeps): AccessChecks {
  const { db } = store
  const key = async ({ authorization, from }: Credentials): Promise<KeyRow> =>
    authenticator.authenticate(authorization, from)
  const sessionOfTeam = async (credentials: Credentials): Promise<SessionRow> => {
    const { teamId } = await key(credentials)
    return getTeamSession(db, credentials.params['id'] ?? '', teamId)
  }
  const sessionOfToken = async ({ params, token = '' }: Credentials, access: string): Promise<SessionRow> => {
    const row = await getSession(db, params['id'] ?? '')
    const kind = accessOfToken(row, token)
    if (kind !== 'control') throw new BowlineError('FORBIDDEN', `A ${kind} token does not grant ${access}`)
    return row
  }
  return {
    none: async () => undefined,
    key,
    optionalKey: async (credentials) => optionalKey(credentials, key),
    adminKeyOrMetricsToken: async (credentials) => {
      if (!isMetricsToken(credentials, metricsToken)) assertAdmin(await key(credentials))
    },
    controlToken: async (credentials) => sessionOfToken(credentials, 'CDP access'),
    keyOrControlToken: async (credentials) => {
      if (credentials.token === undefined) return sessionOfTeam(credentials)
      const row = await sessionOfToken(credentials, 'access to files')
      await assertNotRevoked(store, row)
      return row
    },
    keyOrRecordingToken: async (credentials) => {
      if (credentials.token === undefined) return sessionOfTeam(credentials)
      const row = await getSession(db, credentials.params['id'] ?? '')
      if (!isRecordingsToken(row, credentials.token)) throw sessionNotFound()
      return row
    },
    viewerToken: async ({ params, token = '' }) => checkViewerToken(store, params['id'] ?? '', token),
    scrapeFileToken: async ({ params: { id = '', name = '' }, token = '' }) => findScrapeFile(db, { id, name, token }),
    mailToken: async ({ params, token = '' }) => findMailLink(db, token, params['purpose'] as MailPurpose),
  }
}

/**
 * Throws UNAUTHORIZED if the key that created a session is revoked. Its files can be kept after the
 * session has ended, and whoever has a leaked key can have the tokens of its sessions too.
 */
async function assertNotRevoked({ db }: Store, { apiKeyId }: SessionRow): Promise<void> {
  if (!(await isKeyRevoked(db, apiKeyId))) return
  throw new BowlineError('UNAUTHORIZED', 'The API key that created the session was revoked', {
    hint: 'Use another API key of the team.',
  })
}

/** Time limit for checking an optional key, in milliseconds. */
const optionalKeyTimeoutMs = 2000

/** Returns the key, or `undefined` if there is none, it is invalid, or it cannot be checked now. */
async function optionalKey(credentials: Credentials, key: AccessChecks['key']): Promise<KeyRow | undefined> {
  if (credentials.authorization === undefined) return undefined
  return abortable(key(credentials), AbortSignal.timeout(optionalKeyTimeoutMs)).catch(() => undefined)
}

function isMetricsToken({ authorization }: Credentials, metricsToken: string | undefined): boolean {
  const token = authorization?.split(' ')[1]
  return token !== undefined && metricsToken !== undefined && equalSecrets(token, metricsToken)
}

function assertAdmin({ role }: KeyRow): void {
  if (role === 'admin') return
  throw new BowlineError('FORBIDDEN', 'Metrics cover all teams, so only an admin key may read them', {
    hint: 'Use an admin key, or the token that the server was started with as `--metrics-token`.',
  })
}
