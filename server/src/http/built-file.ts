import { open, type FileHandle } from 'node:fs/promises'
import { extname } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ifMissing } from '../kit/if-missing.ts'
import { matchesEtag } from './matches-etag.ts'

/**
 * Sends a file of the build with an ETag, in the `.br` or `.gz` version next to it if the client
 * accepts that. Headers already set on the reply are kept. Returns `false` and sends nothing if the
 * file does not exist. `path` must come from a trusted source.
 */
export async function sendBuiltFile(request: FastifyRequest, reply: FastifyReply, path: string): Promise<boolean> {
  const type = types[extname(path)]
  if (type === undefined) return false
  for (const { encoding, suffix } of encodingsOf(request.headers['accept-encoding'])) {
    await using file = await openFile(`${path}${suffix}`)
    if (file === undefined) continue
    const { size, mtime } = await file.stat()
    const etag = `W/"${size.toString(16)}-${mtime.getTime().toString(16)}"`
    if (encoding !== undefined) void reply.header('content-encoding', encoding)
    void reply.headers({ etag, 'last-modified': mtime.toUTCString() }).type(type)
    const vary = reply.getHeader('vary')
    void reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`)
    if (matchesEtag(request.headers['if-none-match'], etag)) void reply.code(304).send()
    else void reply.send(await file.readFile())
    return true
  }
  return false
}

/** Content types by file extension. Other files are not sent. */
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

interface Encoding {
  readonly encoding: string | undefined
  readonly suffix: string
}

/** Returns the encodings that the client accepts, smallest output first. */
function encodingsOf(accepted = ''): readonly Encoding[] {
  const refused = /;\s*q=0(?:\.0*)?\s*$/
  const names = new Set(
    accepted
      .toLowerCase()
      .split(',')
      .filter((each) => !refused.test(each))
      .map((each) => each.split(';', 1)[0]?.trim()),
  )
  const compressed: readonly Encoding[] = [
    { encoding: 'br', suffix: '.br' },
    { encoding: 'gzip', suffix: '.gz' },
  ]
  return [
    ...compressed.filter(({ encoding }) => names.has(encoding) || names.has('*')),
    { encoding: undefined, suffix: '' },
  ]
}

async function openFile(path: string): Promise<FileHandle | undefined> {
  return open(path).catch(ifMissing(undefined))
}
