import type { z } from 'zod'
import type { ExtractRequest, startExtractResponse } from 'bowline/contract/extract'
import { isBowlineError } from 'bowline/kit/errors'
import { getTeamAgent, readAgentStatus } from '../../agent/read-agent.ts'
import { v1Extract } from '../../compat/v1-extract.ts'
import type { Extracts } from '../../extract/extracts.ts'
import type { Store } from '../../store/store.ts'
import type { Call, Handlers } from '../register.ts'

/** Dependencies of the extraction routes. */
export interface ExtractRouteDeps {
  readonly extracts: Extracts
  readonly store: Store
}

/** Routes of extractions. */
export function extractHandlers({ extracts, store: { db } }: ExtractRouteDeps): Handlers {
  const start = async (
    request: ExtractRequest,
    { key, baseUrl }: Call,
  ): Promise<z.input<typeof startExtractResponse>> => {
    const { id, invalidUrls } = await extracts.start({ request, teamId: key.teamId, apiKeyId: key.id, baseUrl })
    return { success: true, id, ...(request.ignoreInvalidURLs ? { invalidURLs: [...invalidUrls] } : {}) }
  }
  return {
    startExtract: async ({ body }, call) => start(body, call),
    startExtractV1: async ({ body }, call) => start(v1Extract.request(body), call),
    getExtract: async ({ params: { id } }, { key: { teamId } }) => {
      try {
        return await extracts.read(id, teamId)
      } catch (error) {
        if (!isBowlineError(error) || error.code !== 'EXTRACT_NOT_FOUND') throw error
        // Public clients also read agents as extractions.
        const agent = await getTeamAgent(db, id, teamId).catch(() => undefined)
        if (agent === undefined) throw error
        return { data: [], ...(await readAgentStatus(db, agent)) }
      }
    },
  }
}
