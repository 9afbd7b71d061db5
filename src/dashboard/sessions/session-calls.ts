import type { CreateSessionOptions, CreateSessionResponse, SessionSummary } from '../../contract/browser.ts'
import type { Api } from '../api/call.ts'

/** The sessions of the team, newest first; those that are over as well when `isAll`. Looking keeps no session alive. */
export const listSessions = async (
  api: Api,
  isAll: boolean,
  signal?: AbortSignal,
): Promise<readonly SessionSummary[]> => {
  const { sessions } = await api.get<{ sessions: readonly SessionSummary[] }>(
    `/v2/browser${isAll ? '' : '?status=active'}`,
    signal,
  )
  return sessions
}

/** One session. It is looked up in the list, because reading it by its id counts as activity and would keep it alive. */
export const findSession = async (api: Api, id: string, signal?: AbortSignal): Promise<SessionSummary> => {
  const listed = (await listSessions(api, false, signal)).find((session) => session.id === id)
  return listed ?? api.get<SessionSummary>(`/v2/browser/${encodeURIComponent(id)}`, signal)
}

/** Ends a session. */
export const endSession = async (api: Api, id: string): Promise<unknown> =>
  api.send('DELETE', `/v2/browser/${encodeURIComponent(id)}`)

/** Starts a session. */
export const createSession = async (api: Api, options: CreateSessionOptions): Promise<CreateSessionResponse> =>
  api.send('POST', '/v2/browser', options)
