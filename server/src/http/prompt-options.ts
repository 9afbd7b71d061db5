import { agentRequest } from 'bowline/contract/agent'
import { extractRequest } from 'bowline/contract/extract'
import type { JobDetails } from 'bowline/contract/jobs'
import type { AgentPlan } from '../agent/agent-queries.ts'
import type { Plan as ExtractPlan } from '../extract/plan.ts'
import { changedFrom, withoutSecrets, type Fields } from '../jobs/job-options.ts'

type DescribedOptions = Required<Pick<JobDetails, 'options' | 'omittedOptions'>>

const url = 'https://example.com'
const prompt = 'Prices'
const agentDefaults: Fields = agentRequest.parse({ prompt })
const extractDefaults: Fields = extractRequest.parse({ prompt, urls: [url], scrapeOptions: {} })

/** Returns the prompt and the URLs of an agent, and the options that differ from their defaults. */
export function agentOptions(plan: AgentPlan): DescribedOptions {
  const { prompt, urls, webhook, baseUrl: _baseUrl, ...options } = plan
  const named = { prompt, ...(urls.length === 0 ? {} : { urls }) }
  return describe(named, changedFrom(agentDefaults, options), webhook)
}

/**
 * Returns the prompt and the URLs of an extraction, and the options that differ from their
 * defaults.
 */
export function extractOptions(plan: ExtractPlan): DescribedOptions {
  const { prompt, pages, folders, webhook, baseUrl: _baseUrl, ...options } = plan
  const urls = [...pages, ...folders.map((folder) => `${folder}*`)]
  const named = { ...(prompt === undefined ? {} : { prompt }), ...(urls.length === 0 ? {} : { urls }) }
  return describe(named, changedFrom(extractDefaults, options), webhook)
}

/** Leaves out the names of programs, which have no effect. */
function describe(
  named: Fields,
  { origin: _origin, integration: _integration, ...changed }: Fields,
  webhook: AgentPlan['webhook'],
): DescribedOptions {
  return withoutSecrets({ ...named, ...changed }, webhook)
}
