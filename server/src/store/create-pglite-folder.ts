import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { sha256 } from 'bowline/kit/sha256'
import { queueSchemaSql, installQueues } from './install-queues.ts'
import { schemaSql, migrate } from './migrate.ts'
import type { StoreLog } from './store.ts'
import { isMissing } from '../kit/if-missing.ts'
import { startPglite } from './pglite.ts'
import { createQueryBuilder } from './create-query-builder.ts'
import { createSingleConnection } from './single-connection.ts'
import { sweepTemplates } from './sweep-templates.ts'
import { syncTree } from './sync-tree.ts'
import { packFolder, unpackFolder } from './template.ts'

/** Options of `createPgliteFolder`. */
export interface PgliteFolderOptions {
  /** Directory of the template. Default: `~/.cache/bowline`. */
  readonly cacheDir?: string | undefined
  readonly log?: StoreLog | undefined
}

/**
 * Creates the folder of a migrated, empty database, atomically. Unpacks the cached template,
 * which takes a tenth of the time. Without a readable template, creates the cluster from scratch
 * and caches it. Deletes templates that have not been used for 30 days.
 */
export async function createPgliteFolder(folder: string, options: PgliteFolderOptions = {}): Promise<void> {
  const template = await templatePath(options)
  const draft = `${folder}.new`
  await rm(draft, { recursive: true, force: true })
  try {
    await unpackFolder(template, draft)
  } catch (error) {
    if (!isMissing(error))
      options.log?.warn({ err: error, template }, 'The database template is unreadable. Creating a new one.')
    await rm(draft, { recursive: true, force: true })
    await createFromScratch(draft)
    // The template only saves time, so a read-only home directory must not prevent the start.
    await packFolder(draft, template).catch((error: unknown) =>
      options.log?.warn(
        { reason: String(error), template },
        'The database template could not be cached. The next first start will also be slow.',
      ),
    )
  }
  await syncTree(draft)
  await rename(draft, folder)
  await sweepTemplates(dirname(template))
}

/** Returns the path of the template, whether or not it exists. */
export async function templatePath({ cacheDir }: PgliteFolderOptions = {}): Promise<string> {
  return join(cacheDir ?? join(homedir(), '.cache', 'bowline'), await templateName())
}

async function createFromScratch(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  await using lite = await startPglite({ folder })
  const { pool, raw } = createSingleConnection(lite)
  await migrate(createQueryBuilder(pool))
  await installQueues(raw)
}

/** Returns a name that changes with the schema and the version of PGlite. */
async function templateName(): Promise<string> {
  const engine = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const manifest = JSON.parse(await readFile(join(dirname(engine), '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const digest = sha256(manifest.version, schemaSql(), queueSchemaSql()).toString('hex')
  return `store-${digest.slice(0, 16)}.zst`
}
