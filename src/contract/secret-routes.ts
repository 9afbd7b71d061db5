import { paths } from './paths.ts'
import type { Route } from './route.ts'
import * as secrets from './secrets.ts'

/** Routes of secrets. */
export const secretRoutes = {
  setSecret: {
    ...paths.setSecret,
    tag: 'Secrets',
    rateLimit: 'account',
    summary: 'Set a secret that sessions type into pages of its origins; no route returns its value',
    params: secrets.setSecretParams,
    body: secrets.setSecretRequest,
    response: secrets.secretResponse,
  },
  listSecrets: {
    ...paths.listSecrets,
    tag: 'Secrets',
    rateLimit: 'account',
    summary: 'List the secrets of the team by name, without their values',
    response: secrets.listSecretsResponse,
  },
  getSecret: {
    ...paths.getSecret,
    tag: 'Secrets',
    rateLimit: 'account',
    summary: 'Get a secret without its value',
    params: secrets.secretParams,
    response: secrets.secretResponse,
  },
  deleteSecret: {
    ...paths.deleteSecret,
    tag: 'Secrets',
    rateLimit: 'account',
    summary: 'Delete a secret; pages into which it was typed keep it',
    params: secrets.secretParams,
    response: secrets.deleteSecretResponse,
  },
} as const satisfies Record<string, Route>
