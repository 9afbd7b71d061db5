import { pino, type DestinationStream, type Logger } from 'pino'
import { currentWork } from '../kit/current-work.ts'

/**
 * Creates the log of the server, on standard error by default. Each line has the id of the request
 * that caused it, also in the tasks that the request has queued, and the id of its trace.
 */
export function createLog(level: string, destination: DestinationStream = pino.destination(2)): Logger {
  const log: Logger = pino(
    { level, base: null, mixin: (_line, _level, logger) => fieldsOf(logger === log) },
    destination,
  )
  return log
}

/** The loggers of requests have the id of their request already. */
function fieldsOf(isRoot: boolean): Record<string, string> {
  const { requestId, span } = currentWork() ?? {}
  return {
    ...(requestId === undefined || !isRoot ? {} : { reqId: requestId }),
    ...(span === undefined ? {} : { traceId: span.traceId }),
  }
}
