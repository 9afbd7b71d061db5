import type { MapRequest, MapResponse } from 'bowline/contract/map'
import { mapV1 } from '../../compat/map.ts'
import type { Mapper } from '../../map/mapper.ts'
import { untilCallerLeaves } from '../caller.ts'
import type { Call, Handlers } from '../register.ts'

/** The routes of maps. */
export function mapRoutes({ mapper }: { readonly mapper: Mapper }): Handlers {
  const map = async (request: MapRequest, { key, raw }: Call): Promise<MapResponse> => {
    using caller = untilCallerLeaves(raw)
    const order = { teamId: key.teamId, apiKeyId: key.id, request }
    const { id, links, warning } = await mapper.map(order, caller)
    return { success: true, id, links: [...links], ...(warning === undefined ? {} : { warning }) }
  }
  return {
    map: async ({ body }, call) => map(body, call),
    mapV1: async ({ body }, call) => mapV1.response(await map(mapV1.request(body), call)),
  }
}
