import { sleep } from 'bowline/kit/sleep'
import type { Action } from 'bowline/contract/actions'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { printPdf, takeScreenshot, type CapturedFile } from './capture.ts'
import { serializePage } from './serialize-page.ts'
import { evaluate, evaluateFunction, maxScriptResultBytes, type Evaluation } from './evaluate.ts'
import { pressKeys } from './press-keys.ts'
import type { NavigationWatch } from './navigate.ts'
import type { ResultBudget } from '../../cdp/message-limits.ts'
import type { Tab } from './tab.ts'
import { writeText } from './write-text.ts'
import { isTimeLimit } from '../../kit/is-time-limit.ts'

/** Results of actions, before their files are stored. */
export interface ActionOutput {
  readonly screenshots: CapturedFile[]
  readonly scrapes: { readonly url: string; readonly html: string }[]
  readonly javascriptReturns: Evaluation[]
  readonly pdfs: CapturedFile[]
}

/** Maximum wait for the page to load after an action, in milliseconds. */
const actionSettleMs = 5000

/**
 * Performs actions in order. Throws SCRAPE_ACTION_ERROR, SCRAPE_TIMEOUT, or BAD_REQUEST for an
 * invalid selector, naming the failed action. Throws the signal's reason.
 */
export async function performActions(
  tab: Tab,
  watch: NavigationWatch,
  actions: readonly Action[],
): Promise<ActionOutput> {
  const output: ActionOutput = { screenshots: [], scrapes: [], javascriptReturns: [], pdfs: [] }
  const scriptBudget: ResultBudget = { bytes: maxScriptResultBytes }
  for (const [index, action] of actions.entries()) {
    try {
      if (action.type === 'executeJavascript') {
        output.javascriptReturns.push(await evaluate(tab, action.script, scriptBudget))
        await watch.waitUntilIdle(actionSettleMs)
      } else await perform(tab, watch, action, output)
    } catch (error) {
      if (isTimeLimit(tab.signal.reason)) throw timedOut(index, action, tab.signal.reason)
      tab.signal.throwIfAborted()
      if (!isBowlineError(error) || !['SCRAPE_ACTION_ERROR', 'CDP_FAILED'].includes(error.code)) throw error
      const selector = /: '([^]*)' is not a valid selector/.exec(error.message)?.[1]
      const why = selector === undefined ? error.message : `\`${selector}\` is not a CSS selector`
      const code = selector === undefined ? 'SCRAPE_ACTION_ERROR' : 'BAD_REQUEST'
      throw new BowlineError(code, `Action ${index + 1} (${action.type}): ${why}`, {
        hint: error.hint,
        cause: error,
      })
    }
  }
  return output
}

/** Returns the error for an action that was running when the scrape timed out. */
function timedOut(index: number, action: Action, cause: unknown): BowlineError {
  const name = `action ${index + 1} (${action.type})`
  if (action.type !== 'wait' || action.selector === undefined) {
    return new BowlineError('SCRAPE_TIMEOUT', `${name} was still running`, { cause })
  }
  return new BowlineError('SCRAPE_TIMEOUT', `${name} was still waiting for ${JSON.stringify(action.selector)}`, {
    hint: 'Check the selector against the page, or raise `timeout`.',
    cause,
  })
}

async function perform(
  tab: Tab,
  watch: NavigationWatch,
  action: Exclude<Action, { readonly type: 'executeJavascript' }>,
  output: ActionOutput,
): Promise<void> {
  switch (action.type) {
    case 'wait':
      if (action.selector === undefined) return sleep(action.milliseconds ?? 0, tab.signal)
      return waitForElement(tab, action.selector)
    case 'click':
      await click(tab, action.selector, action.all)
      return watch.waitUntilIdle(actionSettleMs)
    case 'write':
      return writeText(tab, action.text)
    case 'press':
      await pressKeys(tab, action.key)
      return watch.waitUntilIdle(actionSettleMs)
    case 'scroll':
      await scroll(tab, action.direction, action.selector)
      return watch.waitUntilIdle(actionSettleMs)
    case 'screenshot':
      output.screenshots.push(await takeScreenshot(tab, action))
      return
    case 'scrape':
      output.scrapes.push(await serializePage(tab))
      return
    case 'pdf':
      output.pdfs.push(await printPdf(tab, action))
      return
    default:
      return action satisfies never
  }
}

async function waitForElement(tab: Tab, selector: string): Promise<void> {
  const source = `(selector) => document.querySelector(selector) !== null || (${findAll})(selector).length > 0`
  while ((await evaluateFunction(tab, source, selector)) !== true) await sleep(50, tab.signal)
}

/**
 * Finds matching elements in the document, then in its open shadow trees and same-origin frames.
 * Runs in the page.
 */
const findAll = `(selector) => {
  const found = []
  const visit = (root, frames) => {
    for (const element of root.querySelectorAll(selector)) found.push({ element, frames })
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) visit(element.shadowRoot, frames)
      const inner = /^i?frame$/.test(element.localName) ? element.contentDocument : null
      if (inner) visit(inner, [...frames, element])
    }
  }
  visit(document, [])
  return found
}`

/** Maximum number of elements that one action clicks. */
const maxClicks = 100

/** Scrolls each element into view and returns its center. Runs in the page. */
const findPoints = `(selector, all) => {
  const found = (${findAll})(selector).slice(0, all ? ${maxClicks} : 1)
  return found.map(({ element, frames }) => {
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
    const box = element.getBoundingClientRect()
    let [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
    for (const frame of frames) {
      const outer = frame.getBoundingClientRect()
      x += outer.left + frame.clientLeft
      y += outer.top + frame.clientTop
    }
    // An element without a box of its own has children that may be visible.
    const isHidden = getComputedStyle(element).display !== 'contents' && !element.checkVisibility({ visibilityProperty: true })
    return { x, y, hasSize: box.width > 0 && box.height > 0, isHidden }
  })
}`

interface ClickPoint {
  readonly x: number
  readonly y: number
  readonly hasSize: boolean
  readonly isHidden: boolean
}

const clickByScript = `(selector, index) => (${findAll})(selector)[index]?.element.click()`

async function click(tab: Tab, selector: string, all: boolean): Promise<void> {
  const count = ((await evaluateFunction(tab, findPoints, selector, all)) as readonly unknown[]).length
  if (count === 0) throw new BowlineError('SCRAPE_ACTION_ERROR', `No element matches ${JSON.stringify(selector)}`)
  if (all && count === maxClicks) await warnOfUnclicked(tab, selector)
  for (let index = 0; index < count; index += 1) {
    const source = `(selector, index) => (${findPoints})(selector, true)[index]`
    const point = (
      all
        ? await evaluateFunction(tab, source, selector, index)
        : ((await evaluateFunction(tab, findPoints, selector, false)) as readonly unknown[])[0]
    ) as ClickPoint | undefined
    if (point?.isHidden === true) {
      tab.warnings.add(`The element ${JSON.stringify(selector)} was hidden when it was clicked.`)
    }
    // The mouse cannot hit an element without a size.
    if (point?.hasSize !== true) await evaluateFunction(tab, clickByScript, selector, index)
    else await clickAt(tab, point)
  }
}

async function warnOfUnclicked(tab: Tab, selector: string): Promise<void> {
  const matching = await evaluateFunction(tab, `(selector) => (${findAll})(selector).length`, selector)
  if (Number(matching) <= maxClicks) return
  const name = JSON.stringify(selector)
  tab.warnings.add(`${String(matching)} elements match ${name}: the first ${maxClicks} were clicked.`)
}

async function clickAt(tab: Tab, { x, y }: { readonly x: number; readonly y: number }): Promise<void> {
  await tab.call('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y })
  await tab.call('Input.dispatchMouseEvent', { type: 'mousePressed', x, y, button: 'left', clickCount: 1 })
  await tab.call('Input.dispatchMouseEvent', { type: 'mouseReleased', x, y, button: 'left', clickCount: 1 })
}

async function scroll(tab: Tab, direction: 'up' | 'down', selector: string | undefined): Promise<void> {
  const source = `(selector, sign) => {
    const element = selector === null ? document.scrollingElement : (${findAll})(selector)[0]?.element
    if (!element) return false
    const isPage = element === document.scrollingElement
    element.scrollBy({ top: sign * (isPage ? innerHeight : element.clientHeight), behavior: 'instant' })
    return true
  }`
  const isFound = await evaluateFunction(tab, source, selector ?? null, direction === 'down' ? 1 : -1)
  if (isFound !== true) throw new BowlineError('SCRAPE_ACTION_ERROR', `No element matches ${JSON.stringify(selector)}`)
}
