import { z } from 'zod'
import { BowlineError } from 'bowline/kit/errors'
import type { FocusedOrigin } from './focused-origin.ts'

/**
 * Enters a text into the focused field of a frame. The check of the origin and the input are one
 * step in one document, so that the focus cannot move to another frame in between. The field shows
 * dots from then on, as long as it has content, so that the text is not visible in screenshots, the
 * live view and recordings. Password fields keep them when the page makes their text visible.
 *
 * Throws SECRET_REFUSED if no field of the frame accepts text. No error contains the text.
 */
export async function enterText(
  { origin, contextId, call }: FocusedOrigin,
  text: string,
  { slowly }: { readonly slowly: boolean },
): Promise<void> {
  const { result } = await call('Runtime.callFunctionOn', {
    functionDeclaration: enter,
    executionContextId: contextId,
    arguments: [{ value: text }, { value: origin }, { value: slowly }],
    awaitPromise: true,
    returnByValue: true,
    silent: true,
  })
  const outcome = outcomes.safeParse(result.value).data ?? 'failed'
  if (outcome !== 'entered') throw new BowlineError('SECRET_REFUSED', faults[outcome](origin))
}

const outcomes = z.enum(['entered', 'no-origin', 'no-field', 'too-long', 'failed'])

const faults: Readonly<Record<Exclude<z.output<typeof outcomes>, 'entered'>, (origin: string) => string>> = {
  'no-origin': (origin) => `The focused frame of ${origin} is sandboxed, or its content comes from another document`,
  'no-field': (origin) => `No editable field has the focus in the frame of ${origin}`,
  'too-long': (origin) => `The focused field of ${origin} has a \`maxlength\` that is shorter than the secret`,
  failed: (origin) => `The focused field of ${origin} did not accept the secret`,
}

/** `execCommand` fires the same trusted input events as a keyboard. */
const enter = `async function (text, origin, slowly) {
  if (self.origin !== origin) return 'no-origin'
  const find = () => {
    let element = document.activeElement
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    return element
  }
  const hide = (element) => {
    const property = '-webkit-text-security'
    element.style?.setProperty(property, 'disc', 'important')
    if (typeof element.value !== 'string') return
    element.addEventListener('input', function onInput() {
      if (element.value !== '') return
      element.style.removeProperty(property)
      element.removeEventListener('input', onInput)
    })
  }
  // The focus of a custom element can be inside its closed shadow root.
  const isField = (element) =>
    element !== null &&
    (/^(?:input|textarea)$|-/.test(element.localName) || element.isContentEditable || document.designMode === 'on')
  const insert = (part) => {
    const element = find()
    // The selection can still be in a field that has lost the focus.
    if (!isField(element) || !document.queryCommandEnabled('insertText')) return 'no-field'
    hide(element)
    return document.execCommand('insertText', false, part) ? 'entered' : 'failed'
  }
  const limit = find()?.maxLength ?? -1
  const isSplit = limit === 1 && text.length > 1
  if (!slowly && !isSplit) return limit >= 0 && limit < text.length ? 'too-long' : insert(text)
  for (const key of text) {
    const init = { key, bubbles: true, composed: true }
    find()?.dispatchEvent(new KeyboardEvent('keydown', init))
    const outcome = insert(key)
    if (outcome !== 'entered') return outcome
    find()?.dispatchEvent(new KeyboardEvent('keyup', init))
    await new Promise((resolve) => setTimeout(resolve))
  }
  return 'entered'
}`
