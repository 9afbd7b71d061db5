import type { KeyRow } from '../../teams/key-queries.ts'
import type { SecretFacts, Secrets } from '../../secrets/secrets.ts'
import type { Handlers } from '../register.ts'

/** Dependencies of the routes of secrets. */
export interface SecretRouteDeps {
  readonly secrets: Secrets
}

/** Routes of secrets. None returns a value. */
export function secretHandlers({ secrets }: SecretRouteDeps): Handlers {
  return {
    setSecret: async ({ params, body }, { key, raw }) => {
      const secret = await secrets.set({ teamId: key.teamId, name: params.name }, body)
      raw.log.info({ audit: 'secret.set', ...facts(secret, key), origins: secret.origins }, 'Secret set')
      return { success: true, data: describe(secret) }
    },
    listSecrets: async (_input, { key }) => ({
      success: true,
      data: (await secrets.list(key.teamId)).map(describe),
    }),
    getSecret: async ({ params }, { key }) => ({
      success: true,
      data: describe(await secrets.get({ teamId: key.teamId, name: params.name })),
    }),
    deleteSecret: async ({ params }, { key, raw }) => {
      const secret = { teamId: key.teamId, name: params.name }
      await secrets.delete(secret)
      raw.log.info({ audit: 'secret.deleted', ...facts(secret, key) }, 'Secret deleted')
      return { success: true }
    },
  }
}

/** Fields of a secret for the audit log. */
function facts({ teamId, name }: Pick<SecretFacts, 'teamId' | 'name'>, { id }: KeyRow) {
  return { teamId, secretName: name, byKeyId: id }
}

function describe({ name, kind, origins, createdAt, updatedAt }: SecretFacts) {
  return {
    name,
    kind,
    origins: [...origins],
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
