import { z } from 'zod'
import type { PageAccess } from '../cdp/page-access.ts'
import type { CdpCall, Protocol } from '../cdp/protocol.ts'
import { openIsolatedWorld } from './isolated-world.ts'
import type { Choices } from './server-message.ts'

/** A native popup that screencast frames do not show, and that viewers cannot use. */
export type HiddenPopup = 'file' | 'date' | 'color' | 'suggestions'

interface Point {
  readonly x: number
  readonly y: number
}

/**
 * Detects whether a click opened something that screencast frames do not show: the list of a select
 * element, a file chooser or a picker. `undefined` if it did neither. `point`: in CSS pixels of the
 * viewport of the page.
 */
export async function inspectPoint(page: PageAccess, point: Point): Promise<Choices | HiddenPopup | undefined> {
  await using sessions = new AsyncDisposableStack()
  let { call } = page
  let origin: Point = { x: 0, y: 0 }
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const position = { x: point.x - origin.x, y: point.y - origin.y }
    const { backendNodeId, frameId } = await findNode(call, position)
    const { node } = await call('DOM.describeNode', { backendNodeId })
    // Awaited, because the sessions end with this function.
    if (node.nodeName === 'SELECT') return await readChoices(call, { backendNodeId, frameId, origin })
    if (node.nodeName === 'INPUT') return await findHiddenPopup(call, node, position)
    // Frames of the same process are searched by the browser.
    if (node.frameId === undefined || node.contentDocument !== undefined) return undefined
    const { model } = await call('DOM.getBoxModel', { backendNodeId })
    const [left = 0, top = 0] = model.content
    origin = { x: origin.x + left, y: origin.y + top }
    ;({ call } = sessions.use(await page.attachToFrame(node.frameId)))
  }
  return undefined
}

const maxDepth = 20

/** Returns the node at a position in the viewport of a session. */
async function findNode(call: CdpCall, { x, y }: Point, includeUserAgentShadowDOM = false) {
  const { cssVisualViewport } = await call('Page.getLayoutMetrics')
  return call('DOM.getNodeForLocation', {
    // Unlike input events, this command takes coordinates of the document.
    x: Math.round(x + cssVisualViewport.pageX),
    y: Math.round(y + cssVisualViewport.pageY),
    includeUserAgentShadowDOM,
  })
}

const datePickers: ReadonlySet<string> = new Set(['date', 'datetime-local', 'month', 'time', 'week'])

/** Types of inputs that list the options of a `datalist`. Ranges draw them as marks. */
const textTypes: ReadonlySet<string> = new Set(['text', 'search', 'url', 'tel', 'email', 'number'])

async function findHiddenPopup(
  call: CdpCall,
  input: Protocol.DOM.Node,
  position: Point,
): Promise<HiddenPopup | undefined> {
  const attributes = attributesOf(input)
  if (attributes.has('disabled')) return undefined
  const type = attributes.get('type')?.toLowerCase() ?? 'text'
  if (type === 'file' || type === 'color') return type
  if (datePickers.has(type)) {
    // A click beside the button, which is in the shadow tree of the field, opens no picker.
    const { backendNodeId } = await findNode(call, position, true)
    const { node } = await call('DOM.describeNode', { backendNodeId })
    return attributesOf(node).get('pseudo') === '-webkit-calendar-picker-indicator' ? 'date' : undefined
  }
  const hasSuggestions = textTypes.has(type) && attributes.has('list') && !attributes.has('readonly')
  return hasSuggestions ? 'suggestions' : undefined
}

/** In CDP, names and values alternate. */
function attributesOf({ attributes = [] }: Protocol.DOM.Node): ReadonlyMap<string, string> {
  const entries = attributes.flatMap((name, index) => (index % 2 === 0 ? [[name, attributes[index + 1] ?? '']] : []))
  return new Map(entries as [string, string][])
}

const maxOptions = 2000
const maxLabelLength = 200

const readScript = `function () {
  if (this.multiple || this.size > 1 || this.disabled) return null
  const options = Array.from(this.options).slice(0, ${maxOptions}).map((option) => ({
    label: String(option.label).slice(0, ${maxLabelLength}),
    isDisabled: option.disabled || option.parentElement?.disabled === true,
  }))
  return { options, chosen: this.selectedIndex }
}`

/** The result comes from the process of the page, so it may be anything. */
const readResult: z.ZodType<Omit<Choices, 'box'>> = z.object({
  options: z.array(z.object({ label: z.string().max(maxLabelLength), isDisabled: z.boolean() })).max(maxOptions),
  chosen: z.int().min(-1),
})

interface SelectElement {
  readonly backendNodeId: number
  readonly frameId: string
  /** Origin of the session's viewport in that of the page. */
  readonly origin: Point
}

async function readChoices(
  call: CdpCall,
  { backendNodeId, frameId, origin }: SelectElement,
): Promise<Choices | undefined> {
  const executionContextId = await openIsolatedWorld(call, frameId)
  const { object } = await call('DOM.resolveNode', { backendNodeId, executionContextId })
  const { objectId = '' } = object
  const { result } = await call('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: readScript,
    returnByValue: true,
    silent: true,
  })
  await call('Runtime.releaseObject', { objectId })
  const { data } = readResult.safeParse(result.value)
  if (data === undefined) return undefined
  // In the viewport of the session, also for an element of a frame in the same process.
  const { border } = (await call('DOM.getBoxModel', { backendNodeId })).model
  const [left = 0, top = 0, , , right = 0, bottom = 0] = border
  const box = { x: origin.x + left, y: origin.y + top, width: right - left, height: bottom - top }
  return { options: data.options, chosen: data.chosen, box }
}
