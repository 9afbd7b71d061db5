import { execFile } from 'node:child_process'
import { access, constants, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { browserLocations, type BrowserKind, type BrowserLocation, type Environment } from './browser-locations.ts'
import { realBinary } from './real-binary.ts'

/** A browser that is installed and prints its version. */
export interface BrowserBinary {
  readonly path: string
  readonly kind: BrowserKind
  /** As `--version` prints it, such as `156.0.8078.79`. */
  readonly version: string
}

/** A location where a browser may be installed, and what was found there. */
export interface BrowserCandidate {
  readonly location: string
  readonly found: BrowserBinary | undefined
  /** Why no browser was found there. */
  readonly problem: string | undefined
}

/**
 * Finds a browser: the best of a kind, or the one at a path. Default: the headless shell, else full
 * Chromium. Throws BROWSER_NOT_FOUND with the searched locations.
 */
export async function findBrowser(
  choice: BrowserKind | (string & {}) | undefined,
  environment: Environment,
): Promise<BrowserBinary> {
  if (choice !== undefined && !isKind(choice)) return browserAt(choice)
  const looked: string[] = []
  const kinds: readonly BrowserKind[] = choice === undefined ? ['shell', 'chromium'] : [choice]
  for (const kind of kinds) {
    for await (const location of browserLocations(kind, environment)) {
      const { location: name, found, problem } = await examine(location)
      if (found !== undefined && (choice === undefined || found.kind === choice)) return found
      looked.push(`${name} (${problem ?? `is a ${found?.kind}`})`)
    }
  }
  throw new BowlineError('BROWSER_NOT_FOUND', `No ${choice ?? 'browser'} found. Searched: ${looked.join(', ')}.`, {
    details: { looked },
  })
}

/**
 * Lists every location where a browser may be installed, with what was found. Starts each browser
 * once.
 */
export async function listBrowsers(environment: Environment): Promise<readonly BrowserCandidate[]> {
  const candidates = new Map<string, BrowserCandidate>()
  for (const kind of ['shell', 'chromium'] as const) {
    for await (const location of browserLocations(kind, environment)) {
      const candidate = await examine(location)
      const key = candidate.found?.path ?? candidate.location
      if (!candidates.has(key)) candidates.set(key, candidate)
    }
  }
  return [...candidates.values()]
}

function isKind(choice: string): choice is BrowserKind {
  return choice === 'shell' || choice === 'chromium'
}

async function browserAt(path: string): Promise<BrowserBinary> {
  if (!path.startsWith('/'))
    throw new BowlineError('BROWSER_NOT_FOUND', `"${path}" is neither "shell", "chromium" nor an absolute path.`)
  const { found, problem } = await examine({ path })
  if (found === undefined) throw new BowlineError('BROWSER_NOT_FOUND', `${path}: ${problem}.`)
  return found
}

async function examine({ path, kind, name = path ?? '' }: BrowserLocation): Promise<BrowserCandidate> {
  const fail = (problem: string): BrowserCandidate => ({ location: name, found: undefined, problem })
  if (path === undefined) return fail('not found')
  try {
    if (!(await stat(path)).isFile()) return fail('not a file')
  } catch {
    // `stat` fails if nothing exists at the path.
    return fail('not found')
  }
  try {
    await access(path, constants.X_OK)
  } catch {
    // `access` fails without the right to execute.
    return fail('not executable')
  }
  const binary = await realBinary(path)
  const result = await readVersion(binary)
  if (result.version === undefined) return fail(result.problem)
  return {
    location: name,
    found: { path: binary, kind: kind ?? kindOf(binary), version: result.version },
    problem: undefined,
  }
}

function kindOf(path: string): BrowserKind {
  return /headless[-_]shell/.test(path) ? 'shell' : 'chromium'
}

type VersionResult = { readonly version: string } | { readonly version: undefined; readonly problem: string }

/** Versions of binaries, by path, size and time of the last change. */
const versions = new Map<string, string>()

/** Returns the version of a binary. Servers of the same process start it once. */
async function readVersion(path: string): Promise<VersionResult> {
  const { size, mtimeMs } = await stat(path)
  const key = `${path} ${size} ${mtimeMs}`
  const version = versions.get(key)
  if (version !== undefined) return { version }
  const result = await askVersion(path)
  if (result.version !== undefined) versions.set(key, result.version)
  return result
}

async function askVersion(path: string): Promise<VersionResult> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], {
      timeout: 10_000,
      killSignal: 'SIGKILL',
      env: {},
    })
    const version = /\d+\.\d+\.\d+\.\d+/.exec(stdout)?.[0]
    if (version !== undefined) return { version }
    return { version: undefined, problem: `--version printed "${stdout.trim().slice(0, 80)}"` }
  } catch (error) {
    const reason = messageOf(error).trim().split('\n').at(-1)
    return { version: undefined, problem: `--version failed: ${reason?.slice(0, 200)}` }
  }
}
