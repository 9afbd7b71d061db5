import type { CreateSessionOptions, CreateSessionResponse, SessionSummary } from 'bowline/contract/browser'
import type { Api } from '../api/call.ts'

/** The sessions that live, newest first. Looking at them keeps none alive. */
export async function listLive(api: Api, signal?: AbortSignal): Promise<readonly SessionSummary[]> {
  return listSessions(api, '?status=active', signal)
}

/** The latest sessions that are over, newest first. */
export async function listEnded(api: Api, signal?: AbortSignal): Promise<readonly SessionSummary[]> {
  const [destroyed, failed] = await Promise.all([
    listSessions(api, '?status=destroyed&limit=50', signal),
    listSessions(api, '?status=error&limit=50', signal),
  ])
  return [...destroyed, ...failed].toSorted((a, b) => (b.endedAt ?? '').localeCompare(a.endedAt ?? ''))
}

async function listSessions(api: Api, query: string, signal?: AbortSignal): Promise<readonly SessionSummary[]> {
  return (await api.get<{ sessions: readonly SessionSummary[] }>(`/v2/browser${query}`, signal)).sessions
}

/** One session. It is looked up in the list, because reading it by its id counts as activity and would keep it alive. */
export async function findSession(api: Api, id: string, signal?: AbortSignal): Promise<SessionSummary> {
  const listed = (await listLive(api, signal)).find((session) => session.id === id)
  return listed ?? api.get<SessionSummary>(`/v2/browser/${encodeURIComponent(id)}`, signal)
}

/** Whether a session has words in its id or profile. */
export function matches({ id, profile }: SessionSummary, words: string): boolean {
  return `${id} ${profile?.name ?? ''}`.toLowerCase().includes(words.trim().toLowerCase())
}

/** Ends a session. */
export async function endSession(api: Api, id: string): Promise<unknown> {
  return api.send('DELETE', `/v2/browser/${encodeURIComponent(id)}`)
}

/** Starts a session. */
export async function createSession(api: Api, options: CreateSessionOptions): Promise<CreateSessionResponse> {
  return api.send('POST', '/v2/browser', options)
}
