import type { CreateSessionOptions, CreateSessionResponse, SessionSummary } from 'bowline/contract/browser'
import type { Api } from '../api/call.ts'

/** The sessions that live, newest first. Looking at them keeps none alive. */
export const listLive = async (api: Api, signal?: AbortSignal): Promise<readonly SessionSummary[]> =>
  listSessions(api, '?status=active', signal)

/** The latest sessions that are over, newest first. */
export const listEnded = async (api: Api, signal?: AbortSignal): Promise<readonly SessionSummary[]> => {
  const [destroyed, failed] = await Promise.all([
    listSessions(api, '?status=destroyed&limit=50', signal),
    listSessions(api, '?status=error&limit=50', signal),
  ])
  return [...destroyed, ...failed].toSorted((a, b) => (b.endedAt ?? '').localeCompare(a.endedAt ?? ''))
}

const listSessions = async (api: Api, query: string, signal?: AbortSignal): Promise<readonly SessionSummary[]> =>
  (await api.get<{ sessions: readonly SessionSummary[] }>(`/v2/browser${query}`, signal)).sessions

/** One session. It is looked up in the list, because reading it by its id counts as activity and would keep it alive. */
export const findSession = async (api: Api, id: string, signal?: AbortSignal): Promise<SessionSummary> => {
  const listed = (await listLive(api, signal)).find((session) => session.id === id)
  return listed ?? api.get<SessionSummary>(`/v2/browser/${encodeURIComponent(id)}`, signal)
}

/** Whether a session has words in its id or profile. */
export const matches = ({ id, profile }: SessionSummary, words: string): boolean =>
  `${id} ${profile?.name ?? ''}`.toLowerCase().includes(words.trim().toLowerCase())

/** Ends a session. */
export const endSession = async (api: Api, id: string): Promise<unknown> =>
  api.send('DELETE', `/v2/browser/${encodeURIComponent(id)}`)

/** Starts a session. */
export const createSession = async (api: Api, options: CreateSessionOptions): Promise<CreateSessionResponse> =>
  api.send('POST', '/v2/browser', options)
