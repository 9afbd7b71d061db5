import type { CdpCommand } from '../cdp/message.ts'
import type { Verdict } from './verdict.ts'

/**
 * Judges a command to a target that is not a web page, such as the frame of the PDF viewer, whose
 * code has more rights than a page. Drivers attach to every frame and configure it, and break if
 * that fails. So events of the target are sent to clients, configuration commands succeed without
 * effect, and all other commands are refused.
 */
export function judgeInternalCommand(command: CdpCommand): Verdict {
  const { method } = command
  if (passedMethods.has(method)) return { kind: 'pass', command }
  if (configuring.test(method)) return { kind: 'respond', result: results[method] ?? {} }
  return {
    kind: 'refuse',
    message: `${method} is not allowed on an internal page of the browser`,
  }
}

/** Commands that run no code in the target and read nothing from it except its frames. */
const passedMethods: ReadonlySet<string> = new Set([
  'Inspector.enable',
  'Log.enable',
  'Network.enable',
  'Page.enable',
  'Page.getFrameTree',
  'Page.setLifecycleEventsEnabled',
  'Runtime.enable',
  'Runtime.runIfWaitingForDebugger',
  'Target.detachFromTarget',
  'Target.setAutoAttach',
])

const configuring = /\.(?:enable|disable|(?:set|add|remove|clear)[A-Z]\w*)$/

/** Results that are not empty. */
const results: Readonly<Record<string, object>> = { 'Page.addScriptToEvaluateOnNewDocument': { identifier: '0' } }
