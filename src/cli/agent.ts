import { Command } from 'commander'
import { agentLimits, type AgentOptions } from '../contract/agent.ts'
import { printJson, printNote } from '../terminal/print.ts'
import { countOf } from '../kit/count-of.ts'
import { abortOnSignals } from './abort-on-signals.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { readSchema } from './read-schema.ts'
import { withSpinner } from './spinner.ts'
import { numberFrom } from './whole-number.ts'

interface AgentFlags extends ConnectionFlags {
  readonly url?: readonly string[]
  readonly strict?: boolean
  readonly schema?: string
  readonly maxCredits?: number
}

/** Creates the command `bowline agent`. */
export function createAgentCommand(): Command {
  return withConnectionFlags(new Command('agent'))
    .description(
      'Let the language model of the server do a task with searches, scrapes and a browser session, and print the ' +
        'result as JSON, or the whole response with --json. Ctrl-C cancels the agent.',
    )
    .argument('<prompt>', 'the task')
    .option('--url <url...>', 'URLs to start at')
    .option('--strict', 'read only these URLs; one that ends in /* includes the pages below it')
    .option('--schema <file>', 'file with a JSON Schema of the result')
    .option(
      '--max-credits <count>',
      `maximum cost (default: ${agentLimits.maxCredits.default})`,
      numberFrom(1, agentLimits.maxCredits.max),
    )
    .action(runAgent)
}

async function runAgent(prompt: string, flags: AgentFlags): Promise<void> {
  const { url, strict, schema, maxCredits } = flags
  const options: AgentOptions = {
    ...(url === undefined ? {} : { urls: [...url] }),
    ...(strict === undefined ? {} : { strictConstrainToURLs: strict }),
    ...(schema === undefined ? {} : { schema: await readSchema(schema) }),
    ...(maxCredits === undefined ? {} : { maxCredits }),
  }
  const bowline = await createClient(flags)
  // The client cancels the agent before the process ends.
  using stop = abortOnSignals()
  try {
    const result = await withSpinner('working', async () => bowline.agent(prompt, options, { signal: stop.signal }))
    printNote(countOf(result.creditsUsed, 'credit'))
    printJson(flags.json === true ? result : result.data)
  } catch (error) {
    if (!stop.signal.aborted) throw error
    printNote('Cancelled the agent')
    process.exitCode = stop.exitCode
  }
}
