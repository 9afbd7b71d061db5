import { expect } from 'vitest'
import { Bowline } from '../../../src/index.ts'
import { startModel, type Model, type ModelReply, type Question } from '../../../test/lab/language-model.ts'
import { startLab, type Answer, type Lab } from '../../../test/lab/lab.ts'
import type { Pages } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

/** A team with credits. */
export interface Team {
  readonly balance: () => Promise<{ readonly credits: number; readonly reservedCredits: number }>
  readonly start: (body: object) => Promise<Answer>
  /** Starts an agent and waits for its end. */
  readonly run: (body: object) => Promise<Answer>
  readonly api: (method: string, path: string) => Promise<Answer>
}

/** A server with a scripted language model. */
export interface AgentFixture extends AsyncDisposable {
  readonly site: Site
  readonly model: Model
  readonly lab: Lab
  readonly bowline: Bowline
  readonly createTeam: (credits: number) => Promise<Team>
  /** Replaces the script of the model. */
  readonly answerWith: (answer: (question: Question) => string | ModelReply | undefined) => void
}

/** Schema of the results. */
export const boatsSchema = {
  type: 'object',
  properties: { boats: { type: 'array', items: { type: 'string' } } },
  required: ['boats'],
}

/** Starts a server, a site with `pages` and a model. */
export async function startAgentFixture(pages: Pages): Promise<AgentFixture> {
  await using undo = new AsyncDisposableStack()
  let answer: (question: Question) => string | ModelReply | undefined = () => 'Done.'
  const site = undo.use(await startSite(pages))
  const model = undo.use(await startModel((question) => answer(question)))
  const lab = undo.use(await startLab({ llmUrl: model.url, llmModel: 'fake' }))
  const bowline = undo.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
  const opened = undo.move()
  return {
    site,
    model,
    lab,
    bowline,
    createTeam: async (credits) => createTeam(lab, credits),
    answerWith: (next) => (answer = next),
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}

async function createTeam(lab: Lab, credits: number): Promise<Team> {
  const name = crypto.randomUUID()
  await lab.api('POST', '/v2/teams', { name, credits })
  const { body } = await lab.api('POST', '/v2/team/keys', { team: name })
  const headers = { authorization: `Bearer ${body['key']}` }
  const start = async (task: object): Promise<Answer> =>
    lab.api('POST', '/v2/agent', { prompt: 'Which boats?', ...task }, headers)
  const api = async (method: string, path: string): Promise<Answer> => lab.api(method, path, undefined, headers)
  return {
    start,
    api,
    balance: async () => {
      const { body: list } = await lab.api('GET', '/v2/teams')
      return list['data'].find((team: { name: string }) => team.name === name)
    },
    run: async (task) => {
      const started = await start(task)
      const path = `/v2/agent/${started.body['id']}`
      await expect.poll(async () => (await api('GET', path)).body['status'], { timeout: 20_000 }).not.toBe('processing')
      return api('GET', path)
    },
  }
}
