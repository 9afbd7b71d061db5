import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { FrameParser } from '../../src/gateway/frame-parser.ts'

test('small fragments do not keep the packets in memory that they came in', () => {
  const ignore = (): void => undefined
  const messages: string[] = []
  const parser = new FrameParser(1_000_000, {
    onMessage: (payload) => messages.push(payload.toString()),
    onPing: ignore,
    onPong: ignore,
    onClose: ignore,
  })
  const mask = [0, 0, 0, 0]
  const pings = Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.from([0x89, 0x80, ...mask])))
  const packet = (first: number): Buffer => Buffer.concat([Buffer.from([first, 0x81, ...mask, 0x61]), pings])
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers

  parser.parse(packet(0x01))
  for (let count = 0; count < 998; count += 1) parser.parse(packet(0x00))
  collectGarbage()

  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
  parser.parse(packet(0x80))
  expect(messages).toEqual(['a'.repeat(1000)])
})
