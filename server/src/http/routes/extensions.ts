import type { FastifyInstance } from 'fastify'
import type { Extensions } from '../../extensions/extensions.ts'
import type { ExtensionRow } from '../../extensions/extension-queries.ts'
import { runtimeIdOf } from '../../extensions/manifest.ts'
import type { AccessOf } from '../authorize.ts'
import { detachBody } from '../detach-body.ts'
import { registerRoute } from '../register-route.ts'
import type { Handlers } from '../register.ts'

/** Dependencies of the routes of extensions. */
export interface ExtensionRouteDeps {
  readonly extensions: Extensions
}

/** Routes of extensions, except uploads. */
export function extensionHandlers({ extensions }: ExtensionRouteDeps): Handlers {
  return {
    listExtensions: async (_input, { key }) => ({
      success: true,
      data: (await extensions.list(key.teamId)).map(describe),
    }),
    getExtension: async ({ params }, { key }) => ({
      success: true,
      data: describe(await extensions.get(key.teamId, params.id)),
    }),
    deleteExtension: async ({ params }, { key }) => {
      await extensions.delete(key.teamId, params.id)
      return { success: true }
    },
  }
}

/** Registers the upload of extensions, whose body has any content type. */
export function registerExtensionUpload(
  app: FastifyInstance,
  { extensions, accessOf }: ExtensionRouteDeps & { readonly accessOf: AccessOf },
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  registerRoute(app, 'uploadExtension', {
    handler: async (request) => {
      const { teamId } = accessOf(request, 'key')
      const announced = request.headers['content-length']
      const row = await extensions.upload(
        teamId,
        detachBody(request.raw),
        announced === undefined ? undefined : Number(announced),
      )
      return { success: true, data: describe(row) }
    },
  })
}

function describe({ id, name, version, bytes, contentBytes, createdAt }: ExtensionRow) {
  const runtimeId = runtimeIdOf(id)
  return {
    id,
    name,
    version,
    size: bytes,
    contentBytes,
    runtimeId,
    createdAt: createdAt.toISOString(),
  }
}
