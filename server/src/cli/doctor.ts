import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { styleText } from 'node:util'
import { Command } from 'commander'
import { addExamples } from 'bowline/terminal/add-examples'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { explainStartFailure } from '../app/explain-start-failure.ts'
import { listBrowsers } from '../browsers/find.ts'
import { openBrowserHost } from '../browsers/host.ts'
import { describeIsolation, isIsolated } from '../browsers/isolation.ts'
import { browserSearchEnvironment, readConfig } from '../config.ts'
import { expiryWarningMs, readCertificate } from '../http/certificate.ts'
import { sessionsThatFit } from '../sessions/capacity.ts'
import { assertFreeSpace } from '../store/assert-free-space.ts'
import { inspectStore, type StoreState } from '../store/inspect.ts'
import { print, printJson } from 'bowline/terminal/print'
import { checkEncryptedData } from './check-encrypted-data.ts'
import { checkSettings } from './check-settings.ts'
import { listOptionalPackages } from './list-optional-packages.ts'
import type { Finding } from './finding.ts'
import { openScratchFolder, type ScratchFolder } from './scratch-folder.ts'

type DoctorFlags = Parameters<typeof readConfig>[0] & { readonly json?: boolean }

/** Creates the command `bowline doctor`. */
export function createDoctorCommand(): Command {
  return addExamples(new Command('doctor'), ['bowline doctor --isolation strict'])
    .description(
      'Check the browsers, isolation, data directory, database, HTTPS and keys of this machine. The exit code is 1 if a check fails.',
    )
    .option('--browser <which>', 'shell, chromium, or the path of a browser (BOWLINE_BROWSER)')
    .option('--isolation <how>', 'auto, strict, uid or none (BOWLINE_ISOLATION; default: auto)')
    .option('--data-dir <path>', 'data directory to check (BOWLINE_DATA_DIR; default: ~/.bowline)')
    .option('--database-url <url>', 'PostgreSQL database to check (DATABASE_URL)')
    .option('--host <address>', 'address that the server listens on (BOWLINE_HOST)')
    .option('--public-url <url>', 'URL of the server for clients (BOWLINE_PUBLIC_URL)')
    .option('--trusted-proxies <addresses>', 'reverse proxies (BOWLINE_TRUSTED_PROXIES)')
    .option('--tls-cert <path>', 'certificate to check (BOWLINE_TLS_CERT)')
    .option('--tls-key <path>', 'key of the certificate (BOWLINE_TLS_KEY)')
    .option('--json', 'print JSON')
    .action(async ({ json, ...flags }: DoctorFlags) => {
      const findings = [
        checkNode(),
        ...(await checkBrowsers(flags)),
        await checkDataDir(flags),
        ...(await checkStore(flags)),
        ...(await checkSettings(readConfig(flags))),
        ...listOptionalPackages(),
        ...(await checkCertificate(flags)),
      ]
      if (json === true) printJson(findings)
      else for (const finding of findings) print(toLine(finding))
      process.exitCode = findings.some(({ state }) => state === 'bad') ? 1 : 0
    })
}

const marks = { good: styleText('green', '✓'), poor: styleText('yellow', '!'), bad: styleText('red', '✗') } as const

function toLine({ what, state, detail }: Finding): string {
  return `${marks[state]} ${what.padEnd(20)} ${detail}`
}

function checkNode(): Finding {
  const isNew = Number(process.versions.node.split('.')[0]) >= 24
  return {
    what: 'Node',
    state: isNew ? 'good' : 'bad',
    detail: `${process.versions.node}${isNew ? '' : ' (24 or newer is required)'}`,
  }
}

/** Lists the installed browsers, and starts one to check which isolation layers work. */
async function checkBrowsers(flags: DoctorFlags): Promise<readonly Finding[]> {
  const environment = browserSearchEnvironment()
  const found = (await listBrowsers(environment)).flatMap(({ found }): Finding[] =>
    found === undefined
      ? []
      : [
          {
            what: found.kind === 'shell' ? 'headless shell' : 'Chromium',
            state: 'good',
            detail: `${found.version}, ${found.path}`,
          },
        ],
  )
  try {
    const { browser, isolation, maxPages, dataDir: ownDir } = readConfig(flags)
    await using folder = await openFirstScratchFolder([tmpdir(), ownDir])
    const dataDir = folder.path
    await using host = await openBrowserHost({ dataDir, choice: browser, isolationMode: isolation, environment })
    const { kind, path } = host.binary
    const off = isIsolated(host.isolation) ? 'poor' : 'bad'
    const layers = describeIsolation(host.isolation).map(({ name, state, detail }): Finding => {
      const isWall = name === 'chromium sandbox' || name === 'bubblewrap'
      return { what: name, state: state === 'on' ? 'good' : isWall ? off : 'poor', detail }
    })
    const starts: Finding = {
      what: 'browser starts',
      state: 'good',
      detail: `${path}; the memory allows ${sessionsThatFit(kind, { maxPages })} concurrent sessions`,
    }
    return [...found, starts, ...layers]
  } catch (error) {
    return [...found, { what: 'browser starts', state: 'bad', detail: describeError(error) }]
  }
}

/** Creates a temporary folder in the first of `parents` that is writable. */
async function openFirstScratchFolder(parents: readonly string[]): Promise<ScratchFolder> {
  const problems: string[] = []
  for (const parent of parents) {
    try {
      return await openScratchFolder(parent)
    } catch (error) {
      problems.push(describeError(error))
    }
  }
  throw new BowlineError('CONFIG_INVALID', `No writable folder: ${problems.join('; ')}`, {
    hint: 'Set `TMPDIR` or `--data-dir` to a folder on a writable file system.',
  })
}

/** Checks that the server could write to its data directory, which may not exist yet. */
async function checkDataDir(flags: DoctorFlags): Promise<Finding> {
  const what = 'data directory'
  const { dataDir } = readConfig(flags)
  try {
    await using _scratch = await openScratchFolder(dataDir)
    await assertFreeSpace(dataDir, { isNew: false })
    const { bavail, bsize } = await statfs(dataDir)
    return { what, state: 'good', detail: `${dataDir} is writable, ${Math.floor((bavail * bsize) / 1e6)} MB free` }
  } catch (error) {
    return { what, state: 'bad', detail: describeError(explainStartFailure(error, { dataDir })) }
  }
}

/** Checks the store, and that the keys open what it contains. */
async function checkStore(flags: DoctorFlags): Promise<readonly Finding[]> {
  const what = 'store'
  const data: Finding[] = []
  try {
    const config = readConfig(flags)
    const { dataDir, databaseUrl } = config
    const { kind, schema } = await inspectStore({ dataDir, databaseUrl }, async (...store) => {
      data.push(await checkEncryptedData(config, ...store))
    })
    const where = kind === 'pglite' ? `embedded, in ${dataDir}` : 'PostgreSQL'
    return [{ what, state: 'good', detail: `${where}${schemaNotes[schema]}` }, ...data]
  } catch (error) {
    const isInUse = isBowlineError(error) && error.code === 'DATA_DIR_IN_USE'
    if (!isInUse) return [{ what, state: 'bad', detail: describeError(error) }]
    return [{ what, state: 'good', detail: `${error.message}: a server is running on it` }]
  }
}

/** Checks the certificate of the settings, if there is one, and the public URL. */
async function checkCertificate(flags: DoctorFlags): Promise<readonly Finding[]> {
  const what = 'TLS certificate'
  try {
    const { tlsCert, tlsKey, publicUrl } = readConfig(flags)
    if (tlsCert === undefined || tlsKey === undefined) return []
    const { names, validTo } = await readCertificate({ tlsCert, tlsKey })
    const leftMs = validTo.getTime() - Date.now()
    if (publicUrl?.startsWith('http:') === true) {
      return [{ what, state: 'bad', detail: `--public-url ${publicUrl} is not https:, but the server serves HTTPS` }]
    }
    const state = leftMs < 0 ? 'bad' : leftMs < expiryWarningMs ? 'poor' : 'good'
    const expiry = `${leftMs < 0 ? 'expired on' : 'valid until'} ${validTo.toISOString().slice(0, 10)}`
    return [{ what, state, detail: `${names}, ${expiry}` }]
  } catch (error) {
    return [{ what, state: 'bad', detail: describeError(error) }]
  }
}

const schemaNotes: Readonly<Record<StoreState['schema'], string>> = {
  absent: '; empty: the next start of the server creates its tables',
  older: '; older version: the next start of the server migrates it',
  current: '',
}

function describeError(error: unknown): string {
  if (isBowlineError(error)) return `${error.message}${error.hint === undefined ? '' : ` (${error.hint})`}`
  return messageOf(error)
}
