import type { MapRequest, MapResponse } from 'bowline/contract/map'
import { v1Map } from '../../compat/v1-map.ts'
import type { Mapper } from '../../map/mapper.ts'
import { abortOnDisconnect } from '../disconnect-signal.ts'
import type { Call, Handlers } from '../register.ts'

/** Routes of maps. */
export function mapHandlers({ mapper }: { readonly mapper: Mapper }): Handlers {
  const map = async (request: MapRequest, { key, raw }: Call): Promise<MapResponse> => {
    using caller = abortOnDisconnect(raw)
    const job = { teamId: key.teamId, apiKeyId: key.id, request }
    const { id, links, warning } = await mapper.map(job, caller)
    return { success: true, id, links: [...links], ...(warning === undefined ? {} : { warning }) }
  }
  return {
    map: async ({ body }, call) => map(body, call),
    mapV1: async ({ body }, call) => v1Map.response(await map(v1Map.request(body), call)),
  }
}
