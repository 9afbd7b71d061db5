import type * as Sdk from '@modelcontextprotocol/server'
import type * as Stdio from '@modelcontextprotocol/server/stdio'
import type { BrowserType } from 'playwright-core'
import { loadPackage } from '../drivers/load-package.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import { hasPackageFolder } from '../kit/installed-package.ts'
import { isPackageMissing } from '../kit/missing-package.ts'

/** The part of Playwright that connects to sessions. */
export type Chromium = Pick<BrowserType, 'connectOverCDP'>

/** The MCP SDK: `@modelcontextprotocol/server`. */
export type McpSdk = typeof Sdk

/** The stdio transport of the MCP SDK. */
export type McpStdio = typeof Stdio

/**
 * Imports the MCP SDK. Throws PACKAGE_MISSING with the install command if it is not installed.
 */
export async function loadMcpSdk(): Promise<McpSdk> {
  return loadSdk(async () => import('@modelcontextprotocol/server'))
}

/** Imports the stdio transport of the MCP SDK. Throws PACKAGE_MISSING. */
export async function loadMcpStdio(): Promise<McpStdio> {
  return loadSdk(async () => import('@modelcontextprotocol/server/stdio'))
}

/** Imports Playwright. Throws PACKAGE_MISSING, or DRIVER_FAILED if it cannot be loaded. */
export async function loadChromium(): Promise<Chromium> {
  const loaded = await importPlaywright().catch(async (error: unknown) => {
    throw isBowlineError(error) && error.code === 'DRIVER_MISSING' ? await packageMissing(error) : error
  })
  return (loaded as { readonly chromium: Chromium }).chromium
}

const sdk = '@modelcontextprotocol/server'

async function loadSdk<Module>(importer: () => Promise<Module>): Promise<Module> {
  try {
    assertFolder(sdk)
    return await importer()
  } catch (cause) {
    throw isPackageMissing(cause, sdk) ? await packageMissing(cause) : cause
  }
}

async function importPlaywright(): Promise<unknown> {
  return loadPackage(['playwright-core', 'playwright', '@playwright/test'], importInstalled)
}

async function importInstalled(name: string): Promise<unknown> {
  assertFolder(name)
  return import(name)
}

/** Throws the error of an import if the package has no folder. */
function assertFolder(name: string): void {
  if (hasPackageFolder(name, import.meta)) return
  throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' })
}

/** Whether a package could not be imported because it is not installed. */
function isMissing(imported: PromiseSettledResult<unknown> | undefined): boolean {
  if (imported?.status !== 'rejected') return false
  const reason: unknown = imported.reason
  return isPackageMissing(reason, sdk) || (isBowlineError(reason) && reason.code === 'DRIVER_MISSING')
}

/** Creates the error for all packages that are missing. */
async function packageMissing(cause: unknown): Promise<BowlineError> {
  const imports = await Promise.allSettled([importInstalled(sdk), importPlaywright()])
  const names = [sdk, 'playwright-core'].filter((_, index) => isMissing(imports[index]))
  const message = `Install ${names.join(' and ')} to use MCP and browser agents: npm install ${names.join(' ')}`
  return new BowlineError('PACKAGE_MISSING', message, {
    cause,
    hint: 'Run the command in the folder where `bowline` is installed.',
  })
}
