import { Command } from 'commander'
import { sessionLimits } from '../contract/session-options.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import { sessionFacts } from './session-facts.ts'
import { labelsOf, withLabelFlags, type LabelFlags } from './session-labels.ts'
import { printFacts, printJson } from '../terminal/print.ts'
import { numberFrom } from './whole-number.ts'

interface UpdateFlags extends ConnectionFlags, LabelFlags {
  readonly ttl?: number
  readonly activityTtl?: number
  readonly removeMetadata?: readonly string[]
}

const { ttl, activityTtl } = sessionLimits

/** Creates the command `bowline sessions update`. */
export function createUpdateCommand(): Command {
  const command = withConnectionFlags(new Command('update'))
    .description('change the lifetime, the name or the metadata of an active session')
    .argument('<id>', 'id of the session')
    .option('--ttl <seconds>', 'time from now until the session ends', numberFrom(ttl.min, ttl.max, 'seconds'))
    .option(
      '--activity-ttl <seconds>',
      'maximum idle time of the session',
      numberFrom(activityTtl.min, activityTtl.max, 'seconds'),
    )
  return withLabelFlags(command, { name: 'new name of the session', metadata: 'metadata to add or change' })
    .option('--remove-metadata <key...>', 'keys of metadata to remove')
    .action(updateSession)
}

async function updateSession(id: string, flags: UpdateFlags): Promise<void> {
  const bowline = await createClient(flags)
  const { ttl, activityTtl, removeMetadata = [] } = flags
  const { metadata, ...name } = labelsOf(flags)
  const removed = Object.fromEntries(removeMetadata.map((key) => [key, null]))
  const session = await bowline.sessions.update(id, {
    ...name,
    ...(ttl === undefined ? {} : { ttl }),
    ...(activityTtl === undefined ? {} : { activityTtl }),
    ...(metadata === undefined && removeMetadata.length === 0 ? {} : { metadata: { ...metadata, ...removed } }),
  })
  if (flags.json === true) return printJson(session)
  printFacts(sessionFacts(session))
}
