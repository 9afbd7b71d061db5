import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fixedPage, numberFrom, readBody, sendJson, type Pages } from './page.ts'

const chunkBytes = 64 * 1024

/** The content of a download, the same bytes for every call. */
export const downloadContent = function* (bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(chunkBytes, 'All hands on deck. ')
  for (let sent = 0; sent < bytes; sent += chunkBytes) yield chunk.subarray(0, Math.min(chunkBytes, bytes - sent))
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function filesOf(form: FormData): Promise<object[]> {
  const files = [...form.values()].filter((value) => value instanceof File)
  return Promise.all(
    files.map(async (file) => ({ name: file.name, bytes: file.size, sha256: sha256(await file.bytes()) })),
  )
}

/**
 * Downloads of any size (`/download?bytes=&name=`), and uploads that return the size and SHA-256 of
 * each file.
 */
export const filePages: Pages = {
  '/download': async ({ response, url }) => {
    const bytes = numberFrom(url, 'bytes', 1024)
    const name = encodeURIComponent(url.searchParams.get('name') ?? 'download.bin')
    response.setHeader('content-type', 'application/octet-stream')
    response.setHeader('content-disposition', `attachment; filename*=UTF-8''${name}`)
    response.setHeader('content-length', bytes)
    // Fails if the browser cancels the download.
    await pipeline(Readable.from(downloadContent(bytes)), response).catch(() => undefined)
  },
  '/downloads': fixedPage('Downloads', '<a id="small" href="/download?bytes=1024&name=small.bin">Small</a>'),
  '/upload': fixedPage(
    'Upload',
    `<form action="/upload/result" method="post" enctype="multipart/form-data">
       <input type="file" name="file" multiple><button>Send</button>
     </form>`,
  ),
  '/upload/result': async (exchange) => {
    const type = exchange.request.headers['content-type'] ?? ''
    const body = new Uint8Array(await readBody(exchange.request))
    const form = await new Response(body, { headers: { 'content-type': type } }).formData()
    sendJson(exchange, await filesOf(form))
  },
}
