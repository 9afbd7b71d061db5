import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'

/**
 * Returns the description of the Chrome DevTools Protocol as JSON, in the form of Chromium's
 * `/json/protocol`. `npm run docs` writes its file from the package `devtools-protocol`, with whose
 * types the server is compiled.
 */
export function readProtocol(): Buffer {
  return brotliDecompressSync(readFileSync(new URL('protocol.json.br', import.meta.url)))
}
