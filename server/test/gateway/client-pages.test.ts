import { expect, test } from 'vitest'
import type { CdpEvent } from '../../src/cdp/protocol.ts'
import { PageFocus } from '../../src/cdp/page-focus.ts'
import { ClientPages } from '../../src/gateway/client-pages.ts'

test('a dialog whose page suggests a response of many megabytes is not parsed', () => {
  const sessionId = '0123456789ABCDEF0123456789ABCDEF'
  const focus = new PageFocus()
  const pages = new ClientPages(focus, undefined)
  pages.track({
    method: 'Target.attachedToTarget',
    params: { sessionId, targetInfo: { type: 'page', targetId: 'page' } },
  } as CdpEvent)
  const start = '{"method":"Page.javascriptDialogOpening","params":{"message":"a","defaultPrompt":"'
  const end = `"},"sessionId":"${sessionId}"}`

  pages.trackDialog(Buffer.from(`${start}b${end}`))
  expect(focus.dialogOf('page')?.params.defaultPrompt).toBe('b')
  focus.close('page')

  // Not JSON, so that the test fails if it is parsed.
  pages.trackDialog(Buffer.from(`${start}${'\n'.repeat(4_000_000)}${end}`))
  expect(focus.dialogOf('page')).toBeUndefined()
})
