import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { abortable } from 'bowline/kit/abort'
import { plainName } from './allow-list.ts'

/** Finds the addresses of a host name, the preferred first. Rejects when there are none. */
export type Resolve = (host: string, signal?: AbortSignal) => Promise<readonly string[]>

/** Makes a resolver that asks the system once for names asked for at the same time. */
export function createResolver(ask: Resolve = askSystem): Resolve {
  const questions = new Map<string, Promise<readonly string[]>>()
  return async (host, signal) => {
    if (isIP(host) !== 0) return [host]
    const name = plainName(host)
    // RFC 6761: these names are loopback, whatever a name server says.
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1']
    const question = questions.get(name) ?? ask(name).finally(() => questions.delete(name))
    questions.set(name, question)
    return abortable(question, signal)
  }
}

const askSystem: Resolve = async (name) => {
  const found = await lookup(name, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}
