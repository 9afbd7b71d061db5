import { z } from 'zod'
import type { CdpCall, Protocol } from '../cdp/protocol.ts'
import { openIsolatedWorld } from './isolated-world.ts'
import type { Choices } from './server-message.ts'

/**
 * Detects whether a click opened something that screencast frames do not show: the list of a select
 * element or a file chooser. `undefined` if it did neither.
 */
export async function inspectPoint(
  call: CdpCall,
  point: { readonly x: number; readonly y: number },
): Promise<Choices | 'file' | undefined> {
  const position = { x: Math.round(point.x), y: Math.round(point.y) }
  const { backendNodeId, frameId } = await call('DOM.getNodeForLocation', {
    ...position,
    includeUserAgentShadowDOM: false,
  })
  const { node } = await call('DOM.describeNode', { backendNodeId })
  if (isFileInput(node)) return 'file'
  return node.nodeName === 'SELECT' ? readChoices(call, backendNodeId, frameId) : undefined
}

function isFileInput({ nodeName, attributes = [] }: Protocol.DOM.Node): boolean {
  const at = attributes.indexOf('type')
  return nodeName === 'INPUT' && at % 2 === 0 && attributes[at + 1]?.toLowerCase() === 'file'
}

const maxOptions = 2000
const maxLabelLength = 200

const readScript = `function () {
  if (this.multiple || this.size > 1 || this.disabled) return null
  const { x, y, width, height } = this.getBoundingClientRect()
  const options = Array.from(this.options).slice(0, ${maxOptions}).map((option) => ({
    label: String(option.label).slice(0, ${maxLabelLength}),
    isDisabled: option.disabled || option.parentElement?.disabled === true,
  }))
  return { options, chosen: this.selectedIndex, box: { x, y, width, height } }
}`

/** The result comes from the process of the page, so it may be anything. */
const readResult: z.ZodType<Choices> = z.object({
  options: z.array(z.object({ label: z.string().max(maxLabelLength), isDisabled: z.boolean() })).max(maxOptions),
  chosen: z.int().min(-1),
  box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
})

async function readChoices(call: CdpCall, backendNodeId: number, frameId: string): Promise<Choices | undefined> {
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
  return readResult.safeParse(result.value).data
}
