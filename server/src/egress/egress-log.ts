/** Logger of the proxy. Compatible with pino. */
export interface EgressLog {
  readonly debug: (facts: object, message: string) => void
  readonly warn: (facts: object, message: string) => void
}
