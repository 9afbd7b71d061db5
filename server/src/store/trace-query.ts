import type { LogEvent, RootOperationNode, TableNode } from 'kysely'
import { isBowlineError } from 'bowline/kit/errors'
import { currentSpan } from '../kit/current-work.ts'

/**
 * Adds a span for a query that has just ended to the current trace. Its name has the operation and
 * the table. The text of the query is left out: it can contain values.
 */
export function traceQuery({ level, query, queryDurationMillis, ...event }: LogEvent): void {
  const parent = currentSpan()
  if (parent === undefined) return
  const operation = operationOf(query.query, query.sql)
  const table = tableOf(query.query)
  const span = parent.startChild(table === undefined ? operation : `${operation} ${table}`, {
    kind: 'client',
    startMs: Date.now() - queryDurationMillis,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      ...(table === undefined ? {} : { 'db.collection.name': table }),
    },
  })
  if (level === 'error') span.fail(codeOf('error' in event ? event.error : undefined))
  span.end()
}

const operations: Readonly<Partial<Record<RootOperationNode['kind'], string>>> = {
  SelectQueryNode: 'SELECT',
  InsertQueryNode: 'INSERT',
  UpdateQueryNode: 'UPDATE',
  DeleteQueryNode: 'DELETE',
}

function operationOf({ kind }: RootOperationNode, text: string): string {
  return operations[kind] ?? /^\s*([a-z]+)/i.exec(text)?.[1]?.toUpperCase() ?? 'QUERY'
}

/** Returns the table of a statement, if it names a single one. */
function tableOf(node: RootOperationNode): string | undefined {
  if (node.kind === 'InsertQueryNode') return node.into?.table.identifier.name
  const from =
    node.kind === 'UpdateQueryNode'
      ? node.table
      : node.kind === 'SelectQueryNode' || node.kind === 'DeleteQueryNode'
        ? node.from?.froms[0]
        : undefined
  const table: unknown = from?.kind === 'AliasNode' && 'node' in from ? from.node : from
  return isTable(table) ? table.table.identifier.name : undefined
}

/** The types of Kysely do not say which nodes an alias can have. */
function isTable(node: unknown): node is TableNode {
  return typeof node === 'object' && node !== null && 'kind' in node && node.kind === 'TableNode'
}

/** Returns the SQLSTATE or the error code of a failed query. */
function codeOf(error: unknown): string {
  if (isBowlineError(error)) return error.code
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'UNKNOWN_ERROR'
}
