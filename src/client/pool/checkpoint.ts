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
import { z } from 'zod'
import { BowlineError } from '../../kit/errors.ts'
import { parseJson } from '../../kit/parse-json.ts'

/** Result of an item from a previous run. */
export interface CompletedItem {
  readonly result?: unknown
  readonly attempts: number
  readonly durationMs: number
  /** Items that the work added. `undefined` without any, and in files of earlier versions. */
  readonly added?: readonly unknown[] | undefined
}

/** File that stores the completed items of a run. Disposing flushes and closes it. */
export interface Checkpoint extends AsyncDisposable {
  readonly find: (key: string) => CompletedItem | undefined
  readonly addDone: (key: string, done: CompletedItem) => void
  readonly addSession: (id: string) => void
  readonly addBill: (id: string, credits: number) => void
  /** Credits of all sessions with a known bill. */
  readonly billed: () => number
  /** Sessions of killed runs, whose bills are unknown. */
  readonly unbilled: () => readonly string[]
}

const header = { bowline: 'checkpoint', version: 1 }
const firstLine = `${JSON.stringify(header)}\n`
const chunkBytes = 65_536

interface LinePosition {
  readonly offset: number
  readonly length: number
}

const completedLine = z.object({
  key: z.string(),
  result: z.unknown().optional(),
  attempts: z.number(),
  durationMs: z.number(),
  added: z.array(z.unknown()).optional(),
})
const sessionLine = z.object({ session: z.string(), credits: z.number().optional() })
const headerLine = z.object({ bowline: z.literal(header.bowline) })
const anyLine = z.union([completedLine, sessionLine, headerLine])

type Line = z.output<typeof anyLine>

/**
 * Opens or creates a checkpoint file. Each line is appended in one write before its outcome is
 * delivered, so delivered outcomes survive `kill -9`. The file is also flushed to disk
 * continuously, and a line cut off by a power failure is dropped. Throws CHECKPOINT_INVALID if the
 * file is not a checkpoint.
 */
export async function openCheckpoint(path: string): Promise<Checkpoint> {
  const file = openSync(path, 'a+')
  const positions = new Map<string, LinePosition>()
  const open = new Set<string>()
  let billed = 0
  let end: number
  const remember = (line: Line, position: LinePosition): void => {
    if ('key' in line) positions.set(line.key, position)
    if (!('session' in line)) return
    if (line.credits === undefined) return void open.add(line.session)
    open.delete(line.session)
    billed += line.credits
  }
  try {
    truncateTornLine(path, file)
    end = await readLines(path, remember)
  } catch (error) {
    closeSync(file)
    throw error
  }
  const sync = createDiskSync(file)
  const append = (line: object): LinePosition => {
    const bytes = Buffer.from(`${toLine(line)}\n`)
    const position = { offset: end, length: bytes.length }
    try {
      for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written)
    } catch (error) {
      // A full disk may accept half a line, which would corrupt the next one.
      ftruncateSync(file, end)
      throw error
    }
    end += bytes.length
    sync.request()
    return position
  }
  if (end === 0) append(header)
  return {
    find: (key) => {
      const position = positions.get(key)
      if (position === undefined) return undefined
      return completedLine.parse(JSON.parse(readAt(file, position.offset, position.length).toString()))
    },
    addDone: (key, done) => void positions.set(key, append({ key, ...done })),
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

/** Removes an incomplete last line, left by a crash. */
function truncateTornLine(path: string, file: number): void {
  const { size } = fstatSync(file)
  const start = readAt(file, 0, Math.min(size, firstLine.length)).toString()
  if (!firstLine.startsWith(start)) throw invalid(path, 'the first line is not a checkpoint header')
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

/** Reads all lines and returns the offset of their end. */
async function readLines(path: string, onLine: (line: Line, position: LinePosition) => void): Promise<number> {
  let offset = 0
  let number = 0
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    number += 1
    const position = { offset, length: Buffer.byteLength(text) + 1 }
    const line = parseLine(text)
    if (line === undefined) throw invalid(path, `line ${number} is malformed`)
    onLine(line, position)
    offset += position.length
  }
  return offset
}

/** Escapes the two line separators that JSON does not escape. */
function toLine(line: object): string {
  return JSON.stringify(line).replaceAll(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`)
}

function readAt(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(file, bytes, 0, length, offset))
}

function parseLine(text: string): Line | undefined {
  // A line that was cut off at the end has been removed before.
  return anyLine.safeParse(parseJson(text)).data
}

function invalid(path: string, why: string): BowlineError {
  return new BowlineError('CHECKPOINT_INVALID', `${path} is not a pool checkpoint: ${why}`)
}

interface Sync {
  readonly request: () => void
  readonly settled: () => Promise<void>
}

/** Flushes the file to disk, with one request at a time. */
function createDiskSync(file: number): Sync {
  let running: Promise<void> | undefined
  let isWanted = false
  const run = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false
      // If flushing fails, the data is still written.
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
