import { setTimeout as sleep } from 'node:timers/promises'
import { downloadContent } from '../../lab/pages/files.ts'
import type { Client, ClientDeps } from './load.ts'
import type { Body } from './requests.ts'

/** Opens pages in sessions. Leaves some sessions behind. */
export function browseSessions({ requests, site, webhookUrl }: ClientDeps): Client {
  return async (random, stop, pause) => {
    while (!stop.aborted) {
      const webhook = random.whole(1, 3) === 1 ? { webhook: webhookUrl } : {}
      const session = await requests.create(random, webhook)
      if (session !== undefined) await requests.visit(session, site.url('/work'))
      if (session !== undefined && random.whole(1, 5) > 1) await requests.remove(random, session)
      await pause(random.whole(50, 500))
    }
  }
}

/** Writes a value into a profile in one session after the other. */
export function writeProfile({ requests, site, profiles, notes, fullDisks }: ClientDeps, name: string): Client {
  return async (random, stop, pause) => {
    for (let number = 1; !stop.aborted; number += 1) {
      const session = await requests.create(random, { profile: { name } })
      if (session === undefined) {
        await pause(500)
        continue
      }
      const before = profiles.get(name) ?? ['']
      const value = `${name}-${number}`
      // Until the deletion is confirmed, both values are possible.
      profiles.set(name, [...before, value])
      const url = site.url(`/cookies/set?name=value&value=${value}&maxAge=1000`)
      const isSet = (await requests.visit(session, url)) !== undefined
      const saved = (await requests.remove(random, session))?.['profile'] as Body | undefined
      notes.push(`${value} ${isSet ? 'set' : 'not set'} ${JSON.stringify(saved)}`)
      // Chromium does not report what it could not write while the disk was full.
      const isWritten = fullDisks.every(({ untilMs }) => untilMs < session.requestedAtMs)
      if (isSet && isWritten && saved?.['version'] !== undefined) profiles.set(name, [value])
      if (saved?.['error'] !== undefined && !String(saved['error']).includes('kept on the server'))
        profiles.set(name, isSet ? before : [...before, value])
      await pause(random.whole(50, 500))
    }
  }
}

/** Downloads files in sessions and reads them back. */
export function downloadFiles({ requests, site, downloads }: ClientDeps): Client {
  return async (random, stop, pause) => {
    for (let number = 1; !stop.aborted; number += 1) {
      const session = await requests.create(random, { keepFiles: true })
      if (session === undefined) {
        await pause(500)
        continue
      }
      const name = `file-${number}.bin`
      const bytes = random.whole(1, 300_000)
      const path = `/v2/browser/${session.id}/files`
      await requests.browse(session, async (cdp, page) => {
        await cdp.call('Page.navigate', { url: site.url(`/download?bytes=${bytes}&name=${name}`) }, page)
        for (let polls = 0; polls < 20; polls += 1) {
          const files = (await requests.send(random, 'GET', path))?.body['files'] as Body[] | undefined
          if (files?.some((file) => file['name'] === name && file['size'] === bytes)) return
          await sleep(100)
        }
      })
      // Before or after the end of the session.
      if (random.whole(1, 2) === 1) await requests.remove(random, session)
      const answer = await requests.read(random, 'GET', `${path}/${name}`)
      if (answer?.status === 200) {
        downloads.read += 1
        const content = Buffer.concat([...downloadContent(bytes)])
        if (!content.equals(answer.body)) downloads.damaged.push(`${name}: ${answer.body.length} of ${bytes} bytes`)
      }
      await requests.remove(random, session)
      await pause(random.whole(500, 3000))
    }
  }
}
