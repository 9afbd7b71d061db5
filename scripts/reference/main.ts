// Generates docs/reference/ from the code, and the protocol that the server serves: `npm run docs`. A test fails if the pages are outdated.
import { mkdir, writeFile } from 'node:fs/promises'
import { makeReference } from './make-reference.ts'
import { compress, makeProtocol } from './protocol.ts'

const folder = new URL('../../docs/reference/', import.meta.url)
await mkdir(folder, { recursive: true })
for (const [name, text] of Object.entries(await makeReference())) {
  await writeFile(new URL(name, folder), text)
  console.log(`docs/reference/${name}`)
}
await writeFile(new URL('../../server/src/gateway/protocol.json.br', import.meta.url), compress(await makeProtocol()))
console.log('server/src/gateway/protocol.json.br')
