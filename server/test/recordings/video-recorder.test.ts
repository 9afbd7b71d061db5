import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import type { AttachedTarget } from '../../src/cdp/targets.ts'
import { TempFile } from '../../src/recordings/temp-file.ts'
import { VideoRecorder } from '../../src/recordings/video-recorder.ts'

afterEach(() => vi.useRealTimers())

test('a frame has the time of its capture, however late it arrives', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-video-'))
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] })
  const path = join(folder.path, 'video.webm')
  const focus = { page: undefined, onChange: () => () => undefined }
  const recorder = new VideoRecorder(new TempFile(path, 1e6), focus, { maxFps: 10, maxBytes: 1e6, onError: fail })
  const page = { targetId: 'A', call: async () => ({}) } as unknown as AttachedTarget
  recorder.add(page)
  const send = (pixels: string, ageMs: number): void => {
    const metadata = { timestamp: (Date.now() - ageMs) / 1000, deviceWidth: 16, deviceHeight: 16 }
    const params = { data: webpOf(pixels).toString('base64'), sessionId: 1, metadata }
    recorder.receive(page, { method: 'Page.screencastFrame', params } as never)
  }

  send('first', 2000)
  send('second', 800)
  const firstEpochMs = Date.now() - 2000
  vi.useRealTimers()
  await recorder.finish()

  const video = await readFile(path)
  expect([timeOf(video, 'first'), timeOf(video, 'second')]).toEqual([0, 1200])
  expect(recorder.firstFrameEpochMs).toBe(firstEpochMs)
})

function fail(error: unknown): never {
  throw error
}

/** A key frame of 16 by 16 pixels, whose data no decoder reads here. */
function vp8Of(pixels: string): Buffer {
  return Buffer.concat([Buffer.from('1000009d012a10001000', 'hex'), Buffer.from(pixels)])
}

function webpOf(pixels: string): Buffer {
  const vp8 = vp8Of(pixels)
  const sizes = [Buffer.alloc(4), Buffer.alloc(4)] as const
  sizes[0].writeUInt32LE(vp8.length + 12)
  sizes[1].writeUInt32LE(vp8.length)
  return Buffer.concat([Buffer.from('RIFF'), sizes[0], Buffer.from('WEBPVP8 '), sizes[1], vp8])
}

/** Reads the time of a frame from the head of its block, in milliseconds. */
function timeOf(video: Buffer, pixels: string): number {
  return video.readInt16BE(video.indexOf(vp8Of(pixels)) - 3)
}
