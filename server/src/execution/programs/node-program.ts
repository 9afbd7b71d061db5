/**
 * The program of a Node.js interpreter. It runs as a process of its own, in the jail of a session,
 * and imports nothing else of Bowline. One line of JSON per call arrives on descriptor 3, one per
 * outcome leaves on descriptor 4. The end of a call is marked in stdout and stderr.
 *
 * @module
 */
import { closeSync, existsSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { Session, type Runtime } from 'node:inspector'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { inspect } from 'node:util'

interface PlaywrightBrowser {
  readonly isConnected: () => boolean
  readonly contexts: () => readonly PlaywrightContext[]
}
interface PlaywrightContext {
  readonly pages: () => readonly PlaywrightPage[]
  readonly newPage: () => Promise<PlaywrightPage>
}
interface PlaywrightPage {
  readonly isClosed: () => boolean
}
interface Playwright {
  readonly chromium: {
    readonly connectOverCDP: (url: string, options: { readonly timeout: number }) => Promise<PlaywrightBrowser>
  }
}

const { cdpUrl, playwrightPath, maxResultLength } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly cdpUrl: string
  readonly playwrightPath: string | undefined
  readonly maxResultLength: number
}

const globals = globalThis as Record<string, unknown>
const require = createRequire(`${process.cwd()}/code.js`)
const boundNames = ['page', 'context', 'browser'] as const
const missing = 'needs Playwright, which is not installed on this server: npm install playwright-core'
const session = new Session()
/** Bound before user code runs, which can replace the methods of these streams. */
const flushes = [process.stdout, process.stderr].map((stream) =>
  createFlush(stream, stream.write.bind(stream), stream.uncork.bind(stream)),
)
/** O_CLOEXEC of Linux. */
const closedByExec = 0o2_000_000
const valueKey = Symbol.for('bowline.value')
let bound: Partial<Record<(typeof boundNames)[number], unknown>> = {}

closeInherited()
session.connect()
globals['require'] = require
process.on('uncaughtException', (error) => process.stderr.write(`Uncaught ${inspect(error)}\n`))
process.on('unhandledRejection', (error) => process.stderr.write(`Unhandled rejection: ${inspect(error)}\n`))
for (const name of boundNames) bindMissing(name, playwrightPath === undefined ? missing : 'is not connected')

// A file stream would block `process.exit` until it has read the next line.
const calls = new Socket({ fd: 3, readable: true, writable: false })
for await (const line of createInterface({ input: calls })) {
  const { id, code } = JSON.parse(line) as { readonly id: string; readonly code: string }
  const outcome = await run(code)
  // The reply must not overtake the output: writes to these sockets can be queued.
  await Promise.all(flushes.map(async (flush) => flush(`\0${id}\0`)))
  writeSync(4, `${JSON.stringify({ id, ...outcome })}\n`)
}

/** Creates a function that writes a text and waits until it is written or the stream closed. */
function createFlush(
  stream: NodeJS.WriteStream,
  write: (text: string, callback: () => void) => boolean,
  uncork: () => void,
): (text: string) => Promise<void> {
  return async (text) =>
    new Promise((resolve) => {
      while (stream.writableCorked > 0) uncork()
      write(text, () => resolve())
    })
}

/** Closes descriptors that the server has inherited. Node.js marks its own to be closed by exec. */
function closeInherited(): void {
  // Only Linux has `/proc`.
  const descriptors = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').map(Number) : []
  for (const descriptor of descriptors.filter((each) => each > 4)) {
    try {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1]
      if ((Number.parseInt(flags ?? '0', 8) & closedByExec) === 0) closeSync(descriptor)
    } catch {
      // It listed the folder, and is closed.
    }
  }
}

/** Runs the code of one call. Never rejects. */
async function run(code: string): Promise<{ readonly exitCode: number; readonly result?: string }> {
  try {
    if (/\b(?:page|context|browser)\b/.test(code)) await bindPlaywright()
    const { result, exceptionDetails } = await evaluate(code)
    if (exceptionDetails === undefined) return { exitCode: 0, ...describe(result) }
    process.stderr.write(`${describeError(result, exceptionDetails)}\n`)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  }
  return { exitCode: 1 }
}

/** Evaluates code like the console of DevTools: with top-level await, and names declared again. */
async function evaluate(expression: string): Promise<Runtime.EvaluateReturnType> {
  return new Promise((resolve, reject) => {
    session.post('Runtime.evaluate', { expression, replMode: true, awaitPromise: true }, (error, evaluated) =>
      error === null ? resolve(evaluated as Runtime.EvaluateReturnType) : reject(error),
    )
  })
}

/** Connects `page`, `context` and `browser`, unless the code has assigned them itself. */
async function bindPlaywright(): Promise<void> {
  if (playwrightPath === undefined) return
  if (!isConnected(bound.browser)) {
    const { chromium } = require(playwrightPath) as Playwright
    const browser = await chromium.connectOverCDP(cdpUrl, { timeout: 20_000 })
    const context = browser.contexts()[0]
    assign('browser', browser)
    assign('context', context)
    assign('page', context?.pages()[0] ?? (await context?.newPage()))
    bound = { browser, context, page: globals['page'] }
  }
  const page = bound.page as PlaywrightPage | undefined
  if (page?.isClosed() !== true || globals['page'] !== page) return
  const context = bound.context as PlaywrightContext
  bound.page = context.pages().at(-1) ?? (await context.newPage())
  assign('page', bound.page)
}

function isConnected(browser: unknown): boolean {
  return browser !== undefined && (browser as PlaywrightBrowser).isConnected()
}

function assign(name: string, value: unknown): void {
  Object.defineProperty(globals, name, { value, writable: true, configurable: true, enumerable: true })
}

/** Defines a global that throws when it is used before it was assigned. */
function bindMissing(name: string, reason: string): void {
  Object.defineProperty(globals, name, {
    configurable: true,
    enumerable: false,
    get: () => {
      throw new Error(`\`${name}\` ${reason}`)
    },
    set: (value: unknown) => {
      assign(name, value)
    },
  })
}

/** Describes the value of the last expression. */
function describe(value: Runtime.RemoteObject): { readonly result?: string } {
  if (value.type === 'undefined') return {}
  if (value.objectId === undefined) return { result: String(value.unserializableValue ?? value.value) }
  return { result: callOn(value.objectId, formatValue).slice(0, maxResultLength) }
}

function describeError(value: Runtime.RemoteObject, details: Runtime.ExceptionDetails): string {
  const text =
    value.objectId === undefined
      ? `Uncaught ${value.description ?? String(value.value)}`
      : callOn(value.objectId, inspectError)
  const { lineNumber, columnNumber } = details
  // Syntax errors have no stack within the code.
  const position = value.className === 'SyntaxError' ? `\n    at line ${lineNumber + 1}:${columnNumber + 1}` : ''
  return `${text}${position}`
}

/** Calls a function of this program with the value of a remote object. */
function callOn(objectId: string, format: (value: unknown) => string): string {
  const holders = globalThis as Record<symbol, unknown>
  const functionDeclaration = `function () { 'use strict'; globalThis[Symbol.for('bowline.value')] = this }`
  // The callbacks are called before `post` returns.
  session.post('Runtime.callFunctionOn', { objectId, functionDeclaration })
  session.post('Runtime.releaseObject', { objectId })
  const value = holders[valueKey]
  delete holders[valueKey]
  return format(value)
}

function formatValue(value: unknown): string {
  const prototype: unknown = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined
  if (Array.isArray(value) || prototype === Object.prototype || prototype === null) {
    try {
      return JSON.stringify(value)
    } catch {
      // Circular values and BigInts have no JSON.
    }
  }
  return inspect(value)
}

/** Describes a thrown value, without the frames of this program. */
function inspectError(error: unknown): string {
  const lines = inspect(error).split('\n')
  const own = lines.findIndex((line) => /node:inspector|node-program|program\.m[tj]s/.test(line))
  const text = (own === -1 ? lines : lines.slice(0, own)).join('\n')
  return text.includes('A dynamic import callback was not specified')
    ? `${text}\nimport() is not available here: use require(), which also loads ES modules`
    : text
}
