import type { ClientBase } from 'pg'

/**
 * Milliseconds after which PostgreSQL rolls back a transaction whose server sends nothing. The rows
 * that it locks stop other servers: a server may freeze, or lose its machine, at any time.
 */
export const idleTransactionMs = 10_000

/**
 * TCP settings with which PostgreSQL notices within 30 s that a machine is gone: 10 s of silence,
 * then four probes. By default, operating systems take two hours. Each is ignored where it is not
 * supported.
 */
const keepalive = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  tcp_user_timeout: '30000',
} as const

/** Milliseconds that PostgreSQL has to accept the settings. */
const timeoutMs = 10_000

/**
 * Limits how long PostgreSQL keeps the transactions and the connection of a server that is gone.
 * An `idleMs` of 0 leaves transactions without a limit.
 */
export async function limitSession(client: Pick<ClientBase, 'query'>, idleMs: number): Promise<void> {
  const settings = Object.entries({ ...keepalive, idle_in_transaction_session_timeout: String(idleMs) })
  // Not startup parameters, which PgBouncer refuses.
  const text = `select ${settings.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(', ')}`
  const query: { readonly text: string; readonly query_timeout: number } = { text, query_timeout: timeoutMs }
  await client.query(query)
}
