// Generates docs/reference/ from the code, llms.txt, the manual page, the descriptions of the OpenAPI document, and the protocol that the server serves: `npm run docs`. A test fails if the pages are outdated.
import { mkdir, writeFile } from 'node:fs/promises'
import { makeReference } from './make-reference.ts'
import { compress, makeProtocol } from './protocol.ts'

const root = new URL('../../', import.meta.url)
for (const folder of ['docs/reference/', 'man/']) await mkdir(new URL(folder, root), { recursive: true })
for (const [path, text] of Object.entries(await makeReference())) {
  await writeFile(new URL(path, root), text)
  console.log(path)
}
await writeFile(new URL('../../server/src/gateway/protocol.json.br', import.meta.url), compress(await makeProtocol()))
console.log('server/src/gateway/protocol.json.br')
