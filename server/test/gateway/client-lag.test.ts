import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ClientLag } from '../../src/gateway/client-lag.ts'

const megabyte = 1024 * 1024

/** A lagging client. `until` resolves to the event that comes first. */
function startLag({ isHoldingUpOthers, bytesPerCheck }: { isHoldingUpOthers: boolean; bytesPerCheck: number }) {
  const events = new EventTarget()
  const changes: boolean[] = []
  let bytes = 50 * megabyte
  const lag: ClientLag = new ClientLag({
    bufferedBytes: () => {
      bytes -= bytesPerCheck
      if (bytes <= 0) lag.stop()
      return Math.max(0, bytes)
    },
    isHoldingUpOthers: () => isHoldingUpOthers,
    onChange: (isLagging) => {
      changes.push(isLagging)
      if (!isLagging) events.dispatchEvent(new Event('end'))
    },
    onTooSlow: () => changes.push(true),
    maxHoldUpMs: 50,
    progressMs: 100,
    checkMs: 5,
  })
  const ended = once(events, 'end')
  lag.start()
  return { changes, ended }
}

test.each([
  [
    'that makes progress and blocks no other client stays connected',
    { isHoldingUpOthers: false, bytesPerCheck: megabyte },
    [true, false],
  ],
  ['that makes no progress is too slow', { isHoldingUpOthers: false, bytesPerCheck: 1 }, [true, false, true]],
  ['that blocks other clients is too slow', { isHoldingUpOthers: true, bytesPerCheck: megabyte }, [true, false, true]],
])('a client %s', async (_name, client, changes) => {
  const lag = startLag(client)

  await lag.ended

  expect(lag.changes).toEqual(changes)
})

test('a client that lags repeatedly is too slow', async () => {
  const tooSlow = new AbortController()
  const lag = new ClientLag({
    bufferedBytes: () => 1,
    isHoldingUpOthers: () => true,
    onChange: () => undefined,
    onTooSlow: () => tooSlow.abort(),
    maxHoldUpMs: 50,
    checkMs: 5,
  })

  for (let round = 0; round < 20 && !tooSlow.signal.aborted; round += 1) {
    lag.start()
    await sleep(10)
    lag.stop()
  }

  expect(tooSlow.signal.aborted).toBe(true)
})
