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
  const { path, recorder, send } = openRecorder(folder.path)

  send('first', 2000)
  send('second', 800)
  const firstEpochMs = Date.now() - 2000
  vi.useRealTimers()
  await recorder.finish()

  const video = await readFile(path)
  expect([timeOf(video, 'first'), timeOf(video, 'second')]).toEqual([0, 1200])
  expect(recorder.firstFrameEpochMs).toBe(firstEpochMs)
})

test('every frame is acknowledged, also if the timer of its pause ends a little early', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-video-'))
  const opened = Array.from({ length: 200 }, () => openRecorder(folder.path))

  for (const { send } of opened) {
    // Timers count whole milliseconds, so that those started late in one end early.
    const untilMs = performance.now() + 0.1
    while (performance.now() < untilMs);
    send('first', 0)
  }
  await vi.waitFor(() => expect(opened.filter(({ acknowledged }) => acknowledged() === 0)).toHaveLength(0), 20_000)

  for (const { recorder } of opened) await recorder.finish()
})

interface OpenRecorder {
  readonly path: string
  readonly recorder: VideoRecorder
  /** Lets the browser send a frame that it captured `ageMs` ago. */
  readonly send: (pixels: string, ageMs: number) => void
  /** Number of frames that the recorder has acknowledged. */
  readonly acknowledged: () => number
}

/** A recorder of one page, 10 frames per second. */
function openRecorder(folder: string): OpenRecorder {
  const path = join(folder, 'video.webm')
  const focus = { page: undefined, onChange: () => () => undefined }
  const recorder = new VideoRecorder(new TempFile(path, 1e6), focus, { maxFps: 10, maxBytes: 1e6, onError: fail })
  let count = 0
  const call = async (method: string): Promise<object> => {
    if (method === 'Page.screencastFrameAck') count += 1
    return {}
  }
  const page = { targetId: 'A', call } as unknown as AttachedTarget
  recorder.add(page)
  return {
    path,
    recorder,
    send: (pixels, ageMs) => {
      const metadata = { timestamp: (Date.now() - ageMs) / 1000, deviceWidth: 16, deviceHeight: 16 }
      const params = { data: webpOf(pixels).toString('base64'), sessionId: 1, metadata }
      recorder.receive(page, { method: 'Page.screencastFrame', params } as never)
    },
    acknowledged: () => count,
  }
}

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
