import type { Protocol } from 'devtools-protocol'
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js'

export type { Protocol }

/** Name of a CDP command, such as `Page.navigate`. */
export type CdpMethod = keyof ProtocolMapping.Commands

/** Parameters of a CDP command. */
export type CdpParams<Method extends CdpMethod> = Sent<ParamsOf<ProtocolMapping.Commands[Method]['paramsType']>>

/** Result of a CDP command. */
export type CdpResult<Method extends CdpMethod> = ProtocolMapping.Commands[Method]['returnType']

/**
 * Sends a CDP command and resolves to its result. Parameters can be left out if none is required.
 */
export type CdpCall = <Method extends CdpMethod>(
  method: Method,
  ...args: CdpArguments<Method>
) => Promise<CdpResult<Method>>

/** Parameters of a command as the arguments of a call. */
export type CdpArguments<Method extends CdpMethod> =
  Partial<CdpParams<Method>> extends CdpParams<Method> ? [params?: CdpParams<Method>] : [params: CdpParams<Method>]

/** An event of the browser, one member per method. */
export type CdpEvent = {
  readonly [Method in keyof ProtocolMapping.Events]: {
    readonly method: Method
    readonly params: ParamsOf<ProtocolMapping.Events[Method]>
    /** Id of the CDP session. Undefined for browser-level events of the server itself. */
    readonly sessionId?: string
  }
}[keyof ProtocolMapping.Events]

type ParamsOf<List extends readonly unknown[]> = List extends readonly [(infer Params)?] ? Params & {} : never

/** Lists can be read-only and optional fields undefined, since JSON leaves those out. */
type Sent<Value> = Value extends readonly (infer Item)[]
  ? readonly Sent<Item>[]
  : Value extends object
    ? {
        readonly [Key in keyof Value]:
          | Sent<Value[Key]>
          | (Partial<Pick<Value, Key>> extends Pick<Value, Key> ? undefined : never)
      }
    : Value
