import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSite } from '../lab/site.ts'
import { startBenchServer } from './bench-server.ts'
import { ratioAtMost, type BenchGroup, type Figure } from './group.ts'
import { benchPages, benchPaths } from './snapshots/bench-pages.ts'
import { flows } from './snapshots/flows.ts'
import { connectBowline, connectPlaywright } from './snapshots/snapshot-agent.ts'

/** Tokens of snapshots, which are the same in every run. */
export const group: BenchGroup = {
  name: 'snapshots',
  about:
    'estimated tokens of one look at long pages, and of all answers of tasks; baseline: the MCP server of Playwright',
  run: async ({ progress }) => {
    await using site = await startSite(benchPages)
    await using server = await startBenchServer({ browser: 'shell', warm: 0, flags: ['--allow', '127.0.0.1'] })
    await using bowline = await connectBowline(server.url, server.apiKey)
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-bench-'))
    await using playwright = await connectPlaywright(folder.path)
    const figures: Figure[] = []
    const urlOf = (path: string): string => site.url(path)
    for (const path of benchPaths) {
      progress(`  ${path}`)
      const [ours = 0, baseline = 0] = await inTurn([bowline, playwright], async (agent) => {
        await agent.open(urlOf(path))
        agent.takeTokens()
        await agent.look()
        return agent.takeTokens()
      })
      figures.push({ name: `look at ${path}`, unit: 'tokens', ours, baseline })
    }
    figures.push({ ...sumOf('all looks', figures), aim: ratioAtMost(0.1) })
    const tasks: Figure[] = []
    for (const [name, run] of Object.entries(flows)) {
      progress(`  ${name}`)
      const [ours = 0, baseline = 0] = await inTurn([bowline, playwright], async (agent) => {
        agent.takeTokens()
        await run(agent, urlOf)
        return agent.takeTokens()
      })
      tasks.push({ name, unit: 'tokens', ours, baseline })
    }
    return [...figures, ...tasks, { ...sumOf('all tasks', tasks), aim: ratioAtMost(0.1) }]
  },
}

function sumOf(name: string, figures: readonly Figure[]): Figure {
  const sum = (pick: (figure: Figure) => number): number => figures.reduce((total, each) => total + pick(each), 0)
  return { name, unit: 'tokens', ours: sum(({ ours }) => ours), baseline: sum(({ baseline = 0 }) => baseline) }
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await work(item))
  return results
}
