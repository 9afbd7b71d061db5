import { Command } from 'commander'
import { sessionScrapeLimits } from '../contract/session-scrape.ts'
import { createClient, withConnectionFlags } from './connection.ts'
import { documentOptions, printDocument, withDocumentFlags, type DocumentFlags } from './scrape.ts'

/** Creates the command `bowline sessions scrape`. */
export function createSessionScrapeCommand(): Command {
  const command = withConnectionFlags(
    new Command('scrape')
      .description('scrape the page of a session as it is, without loading it')
      .argument('<id>', 'id of the session'),
  )
  return withDocumentFlags(command, sessionScrapeLimits)
    .option('--target <id>', 'target id of the page (default: the page that was used last)')
    .action(scrapeSession)
}

async function scrapeSession(id: string, { target: targetId, ...flags }: SessionScrapeFlags): Promise<void> {
  const bowline = await createClient(flags)
  printDocument(await bowline.sessions.scrape(id, { ...documentOptions(flags), targetId }), flags)
}

interface SessionScrapeFlags extends DocumentFlags {
  readonly target?: string
}
