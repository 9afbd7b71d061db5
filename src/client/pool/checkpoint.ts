import {
  closeSync,
  createReadStream,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { BowlineError } from '../../kit/errors.ts'

/** What an earlier run did of an item. */
export interface DoneBefore {
  readonly result: unknown
  readonly attempts: number
  readonly durationMs: number
}

/** The file that keeps what a run has done. Disposing brings it to the disk and closes it. */
export interface Checkpoint extends AsyncDisposable {
  readonly find: (key: string) => DoneBefore | undefined
  readonly addDone: (key: string, done: DoneBefore) => void
  readonly addSession: (id: string) => void
  readonly addBill: (id: string, credits: number) => void
  /** Credits of all sessions whose bill is known. */
  readonly billed: () => number
  /** Sessions of earlier runs whose bill is not known: their process was killed. */
  readonly unbilled: () => readonly string[]
}

const header = { bowline: 'checkpoint', version: 1 }
const firstLine = `${JSON.stringify(header)}\n`
const chunkBytes = 65_536

interface ResumePoint {
  readonly offset: number
  readonly length: number
}

interface Line {
  readonly key?: string
  readonly session?: string
  readonly credits?: number
}

/**
 * Opens or makes a checkpoint. Lines are only ever added, each in one write before its outcome is given out, so that what was
 * given out survives `kill -9`; the disk is asked to keep them all the time, one request after another. A line that a
 * power failure cut off is dropped. Throws CHECKPOINT_INVALID for a file that is something else.
 */
export async function openCheckpoint(path: string): Promise<Checkpoint> {
  const file = openSync(path, 'a+')
  const places = new Map<string, ResumePoint>()
  const open = new Set<string>()
  let billed = 0
  let end: number
  const remember = (line: Line, place: ResumePoint): void => {
    if (line.key !== undefined) places.set(line.key, place)
    if (line.session === undefined) return
    if (line.credits === undefined) return void open.add(line.session)
    open.delete(line.session)
    billed += line.credits
  }
  try {
    cutTornLine(path, file)
    end = await readLines(path, remember)
  } catch (error) {
    closeSync(file)
    throw error
  }
  const sync = syncInTurn(file)
  const append = (line: object): ResumePoint => {
    const bytes = Buffer.from(`${toLine(line)}\n`)
    const place = { offset: end, length: bytes.length }
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written)
    } catch (error) {
      // A full disk takes half a line, which would spoil the next one.
      ftruncateSync(file, end)
      throw error
    }
    end += bytes.length
    sync.request()
    return place
  }
  if (end === 0) append(header)
  return {
    find: (key) => {
      const place = places.get(key)
      if (place === undefined) return undefined
      return JSON.parse(readAt(file, place.offset, place.length).toString()) as DoneBefore
    },
    addDone: (key, done) => void places.set(key, append({ key, ...done })),
    addSession: (session) => void append({ session }),
    addBill: (session, credits) => {
      append({ session, credits })
      open.delete(session)
      billed += credits
    },
    billed: () => billed,
    unbilled: () => [...open],
    [Symbol.asyncDispose]: async () => {
      await sync.settled()
      closeSync(file)
    },
  }
}

/** Takes off what a crash left of a line that was being written. */
function cutTornLine(path: string, file: number): void {
  const { size } = fstatSync(file)
  const start = readAt(file, 0, Math.min(size, firstLine.length)).toString()
  if (!firstLine.startsWith(start)) throw invalid(path, 'it does not begin like one')
  let end = size
  for (let from = size; from > 0 && end === size;) {
    const length = Math.min(from, chunkBytes)
    from -= length
    const newline = readAt(file, from, length).lastIndexOf(10)
    if (newline !== -1) end = from + newline + 1
    else if (from === 0) end = 0
    if (newline !== -1 && end === size) return
  }
  ftruncateSync(file, end)
}

/** Reads all lines, and tells where they end. */
async function readLines(path: string, onLine: (line: Line, place: ResumePoint) => void): Promise<number> {
  let offset = 0
  let number = 0
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    number += 1
    const place = { offset, length: Buffer.byteLength(text) + 1 }
    const line = parseLine(text)
    if (line === undefined) throw invalid(path, `line ${number} is broken`)
    onLine(line, place)
    offset += place.length
  }
  return offset
}

/** JSON leaves two characters as they are that end a line where lines are read. */
function toLine(line: object): string {
  return JSON.stringify(line).replaceAll(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`)
}

function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, offset))
}

function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line
  } catch {
    return undefined
  }
}

function invalid(path: string, why: string): BowlineError {
  return new BowlineError('CHECKPOINT_INVALID', `${path} is no checkpoint of a pool: ${why}`)
}

interface Sync {
  readonly request: () => void
  readonly settled: () => Promise<void>
}

/** Has the disk keep what was written, with one request on its way at a time. */
function syncInTurn(file: number): Sync {
  let running: Promise<void> | undefined
  let isWanted = false
  const run = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false
      // What cannot be synced is still written.
      await promisify(fdatasync)(file).catch(() => undefined)
    }
    running = undefined
  }
  return {
    request: () => {
      isWanted = true
      running ??= run()
    },
    settled: async () => running,
  }
}
