import type { SecretOptions, SecretSummary } from '../contract/secrets.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'
import { checkOptions } from './check-options.ts'

/**
 * Manages the secrets of the team. Sessions type them by their names: with `typeSecret()` of
 * `bowline/playwright` and `bowline/puppeteer`, and with the tools of the MCP server. No request
 * returns a value.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * const origins = ['https://shop.example.com']
 * await bowline.secrets.set('MAIL_PASSWORD', { value: 'correct horse', origins })
 * for (const { name, origins } of await bowline.secrets.list()) console.log(name, origins)
 * await bowline.secrets.delete('MAIL_PASSWORD')
 * ```
 */
export interface Secrets {
  /**
   * Creates or replaces a secret. With the kind `totp`, the value is a seed, and one-time passwords
   * are typed. Rejects with SECRET_INVALID or SECRET_QUOTA_EXCEEDED.
   */
  readonly set: (name: string, secret: SecretOptions, requestOptions?: Abortable) => Promise<SecretSummary>
  /** Lists the secrets of the team by name. */
  readonly list: (requestOptions?: Abortable) => Promise<readonly SecretSummary[]>
  /** Returns a secret by its name, without its value. Rejects with SECRET_NOT_FOUND. */
  readonly get: (name: string, requestOptions?: Abortable) => Promise<SecretSummary>
  /** Deletes a secret. Pages into which it was typed keep it. Rejects with SECRET_NOT_FOUND. */
  readonly delete: (name: string, requestOptions?: Abortable) => Promise<void>
}

/** Creates `bowline.secrets`. */
export function createSecrets(call: Call): Secrets {
  return {
    set: async (name, secret, requestOptions = {}) => {
      checkOptions('secrets.set()', secret, { value: true, kind: true, origins: true })
      return (await call('setSecret', { params: { name }, body: secret }, requestOptions)).data
    },
    list: async (requestOptions = {}) => (await call('listSecrets', {}, requestOptions)).data,
    get: async (name, requestOptions = {}) => (await call('getSecret', { params: { name } }, requestOptions)).data,
    delete: async (name, requestOptions = {}) => {
      await call('deleteSecret', { params: { name } }, requestOptions)
    },
  }
}
