import type { z } from 'zod'
import type { ExtractRequest, startExtractResponse } from 'bowline/contract/extract'
import { v1Extract } from '../../compat/v1-extract.ts'
import type { Extracts } from '../../extract/extracts.ts'
import type { Call, Handlers } from '../register.ts'

/** Dependencies of the extraction routes. */
export interface ExtractRouteDeps {
  readonly extracts: Extracts
}

/** Routes of extractions. */
export function extractHandlers({ extracts }: ExtractRouteDeps): Handlers {
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
    getExtract: async ({ params }, { key }) => extracts.read(params.id, key.teamId),
  }
}
