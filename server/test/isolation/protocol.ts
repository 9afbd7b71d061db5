import { createRequire } from 'node:module'

interface Parameter {
  readonly name: string
  readonly type?: string
  readonly optional?: boolean
}

interface Command {
  readonly name: string
  readonly parameters?: readonly Parameter[]
}

interface Protocol {
  readonly domains: readonly { readonly domain: string; readonly commands?: readonly Command[] }[]
}

/** A command of the protocol, with its parameters that may contain a URL or a path. */
export interface AddressCommand {
  readonly method: string
  /** Parameters with the URL in every field that may contain one, and valid values elsewhere. */
  readonly paramsFor: (address: string) => Readonly<Record<string, unknown>>
}

const namesAddress = /url|path|file|location/i

/** Every command of the protocol description that accepts a URL or a path. */
export function addressCommands(): readonly AddressCommand[] {
  const require = createRequire(createRequire(import.meta.url).resolve('puppeteer-core'))
  const { domains } = require('devtools-protocol/json/browser_protocol.json') as Protocol
  return domains.flatMap(({ domain, commands = [] }) =>
    commands
      .filter(({ parameters = [] }) => parameters.some(isAddress))
      .map(({ name, parameters = [] }) => ({
        method: `${domain}.${name}`,
        paramsFor: (address: string) =>
          Object.fromEntries(
            parameters
              .filter((parameter) => isAddress(parameter) || parameter.optional !== true)
              .map((parameter) => [parameter.name, valueOf(parameter, address)]),
          ),
      })),
  )
}

function isAddress({ name, type }: Parameter): boolean {
  return namesAddress.test(name) && (type === 'string' || type === 'array')
}

function valueOf(parameter: Parameter, address: string): unknown {
  if (isAddress(parameter)) return parameter.type === 'array' ? [address] : address
  if (parameter.type === 'integer' || parameter.type === 'number') return 1
  if (parameter.type === 'boolean') return true
  if (parameter.type === 'array') return []
  return parameter.name === 'behavior' ? 'allow' : 'x'
}
