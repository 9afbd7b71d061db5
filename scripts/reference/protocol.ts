import { readFile } from 'node:fs/promises'
import { brotliCompressSync, constants } from 'node:zlib'
import { bowlineDomain } from './bowline-domain.ts'
import { cloudflareDomain } from './cloudflare-domain.ts'

const folder = new URL('../../node_modules/devtools-protocol/json/', import.meta.url)

interface ProtocolPart {
  readonly version: unknown
  readonly domains: readonly unknown[]
}

/**
 * Joins the two parts of the package `devtools-protocol` to one JSON text, as in Chromium, and adds
 * the domains of the server.
 */
export async function makeProtocol(): Promise<string> {
  const [browser, javascript] = await Promise.all(
    ['browser_protocol.json', 'js_protocol.json'].map(
      async (name) => JSON.parse(await readFile(new URL(name, folder), 'utf8')) as ProtocolPart,
    ),
  )
  return JSON.stringify({
    version: browser?.version,
    domains: [...(browser?.domains ?? []), ...(javascript?.domains ?? []), cloudflareDomain, bowlineDomain],
  })
}

/** Compresses a text as much as possible. */
export function compress(text: string): Buffer {
  return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
}
