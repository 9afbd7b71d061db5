import type { BrowserExtension } from '../../src/contract/extensions.ts'
import type { Answer, Lab } from './lab.ts'

/** Uploads a zip as an extension. Returns the response. */
export async function postExtension(
  { server }: Pick<Lab, 'server'>,
  zip: Buffer,
  apiKey = server.apiKey,
): Promise<Omit<Answer, 'headers'>> {
  const response = await fetch(new URL('/v2/browser/extensions', server.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/zip' },
    body: new Uint8Array(zip),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

/** Uploads a zip as an extension. Throws an Error if that fails. */
export async function uploadExtension(
  lab: Pick<Lab, 'server'>,
  zip: Buffer,
  apiKey?: string,
): Promise<BrowserExtension> {
  const { status, body } = await postExtension(lab, zip, apiKey)
  if (status !== 200) throw new Error(`uploading an extension: ${status} ${JSON.stringify(body)}`)
  return body['data'] as BrowserExtension
}
