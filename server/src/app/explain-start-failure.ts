import { BowlineError, isBowlineError } from 'bowline/kit/errors'

/**
 * Converts a system error that stopped the start, such as a full disk or a port in use, to a
 * BowlineError. Returns other errors unchanged.
 */
export function explainStartFailure(error: unknown, config: { readonly dataDir: string }): unknown {
  if (isBowlineError(error) || !isSystemError(error)) return error
  const { dataDir } = config
  const isListenError = error.syscall === 'listen' || error.syscall === 'bind' || error.syscall === 'getaddrinfo'
  if (isListenError) return new BowlineError('LISTEN_FAILED', listenMessage(error), { cause: error })
  if (error.path === undefined && !diskErrorCodes.has(error.code)) return error
  const path = error.path ?? dataDir
  const subject = path.startsWith(dataDir) ? `The data directory ${dataDir} cannot be used` : `${path} cannot be used`
  return new BowlineError('DATA_DIR_UNUSABLE', `${subject}: ${error.message}`, { cause: error })
}

interface SystemError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error
}

const diskErrorCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS'])

function listenMessage({ code, message, address, port, hostname }: SystemError): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${address} is already in use`
    case 'EACCES':
      return `This user is not allowed to listen on port ${port}`
    case 'EADDRNOTAVAIL':
      return `The address ${address} does not belong to this machine`
    case 'ENOTFOUND':
      return `\`--host\` does not resolve: ${hostname} was not found`
    default:
      return `The server cannot listen: ${message}`
  }
}
