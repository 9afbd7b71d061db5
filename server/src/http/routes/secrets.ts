import type { SecretFacts, Secrets } from '../../secrets/secrets.ts'
import type { AuditLog } from '../../audit/audit-log.ts'
import { callerOf } from '../audit-caller.ts'
import type { Handlers } from '../register.ts'

/** Dependencies of the routes of secrets. */
export interface SecretRouteDeps {
  readonly secrets: Secrets
  readonly audit: Pick<AuditLog, 'record'>
}

/** Routes of secrets. None returns a value. */
export function secretHandlers({ secrets, audit }: SecretRouteDeps): Handlers {
  return {
    setSecret: async ({ params, body }, call) => {
      const { teamId } = call.key
      const secret = await secrets.set({ teamId, name: params.name }, body)
      const details = { secretName: secret.name, origins: secret.origins }
      await audit.record({ action: 'secret.set', message: 'Secret set', teamId, details, by: callerOf(call) })
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
    deleteSecret: async ({ params: { name } }, call) => {
      const { teamId } = call.key
      await secrets.delete({ teamId, name })
      const details = { secretName: name }
      await audit.record({ action: 'secret.deleted', message: 'Secret deleted', teamId, details, by: callerOf(call) })
      return { success: true }
    },
  }
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
