import type { CdpCommand } from '../cdp/message.ts'
import type { Verdict } from './verdict.ts'

/**
 * Decides on a command to a target that is not a web page, such as the frame of the PDF viewer, whose code may do more
 * than that of a page. Drivers attach to every frame and set it up, and break when that fails. So events of the target
 * come through, its settings are acknowledged and do nothing, and all else is refused.
 */
export function judgeInternalCommand(command: CdpCommand): Verdict {
  const { method } = command
  if (passive.has(method)) return { kind: 'pass', command }
  if (setting.test(method)) return { kind: 'answer', result: results[method] ?? {} }
  return {
    kind: 'refuse',
    message: `${method} is not allowed here: the target is not a web page but a part of the browser`,
  }
}

/** Commands that run no code in the target and read nothing of it but its frames. */
const passive: ReadonlySet<string> = new Set([
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

const setting = /\.(?:enable|disable|(?:set|add|remove|clear)[A-Z]\w*)$/

/** Answers that hold more than nothing. */
const results: Readonly<Record<string, object>> = { 'Page.addScriptToEvaluateOnNewDocument': { identifier: '0' } }
