import type * as Sdk from '@modelcontextprotocol/server'
import type * as Stdio from '@modelcontextprotocol/server/stdio'
import type { BrowserType } from 'playwright-core'
import { loadPackage } from '../drivers/load-package.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
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
  const loaded = await loadPackage(['playwright-core', 'playwright', '@playwright/test']).catch((error: unknown) => {
    throw isBowlineError(error) && error.code === 'DRIVER_MISSING' ? packageMissing(error) : error
  })
  return (loaded as { readonly chromium: Chromium }).chromium
}

async function loadSdk<Module>(importer: () => Promise<Module>): Promise<Module> {
  const name = '@modelcontextprotocol/server'
  try {
    return await importer()
  } catch (cause) {
    throw isPackageMissing(cause, name) ? packageMissing(cause) : cause
  }
}

function packageMissing(cause: unknown): BowlineError {
  const names = '@modelcontextprotocol/server playwright-core'
  return new BowlineError(
    'PACKAGE_MISSING',
    `Install ${names.replace(' ', ' and ')} to use MCP and browser agents: npm install ${names}`,
    {
      cause,
    },
  )
}
