import type { CdpCall, Protocol } from '../cdp/protocol.ts'
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
  const { backendNodeId } = await call('DOM.getNodeForLocation', { ...position, includeUserAgentShadowDOM: false })
  const { node } = await call('DOM.describeNode', { backendNodeId })
  if (isFileInput(node)) return 'file'
  return node.nodeName === 'SELECT' ? readChoices(call, backendNodeId) : undefined
}

function isFileInput({ nodeName, attributes = [] }: Protocol.DOM.Node): boolean {
  const at = attributes.indexOf('type')
  return nodeName === 'INPUT' && at % 2 === 0 && attributes[at + 1]?.toLowerCase() === 'file'
}

const readScript = `function () {
  if (this.multiple || this.size > 1 || this.disabled) return null
  const { x, y, width, height } = this.getBoundingClientRect()
  const options = Array.from(this.options).slice(0, 2000).map((option) => ({
    label: String(option.label).slice(0, 200),
    isDisabled: option.disabled || option.parentElement?.disabled === true,
  }))
  return { options, chosen: this.selectedIndex, box: { x, y, width, height } }
}`

async function readChoices(call: CdpCall, backendNodeId: number): Promise<Choices | undefined> {
  const { object } = await call('DOM.resolveNode', { backendNodeId })
  const { objectId = '' } = object
  const { result } = await call('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: readScript,
    returnByValue: true,
    silent: true,
  })
  await call('Runtime.releaseObject', { objectId })
  return (result.value as Choices | null | undefined) ?? undefined
}
