import type { Dialog } from '../server-message.ts'
import type { InteractMessage } from '../viewer-message.ts'
import { elements } from './elements.ts'

/** Drivers handle dialogs at once. The delay avoids flickering. */
const showDelayMs = 200

/** Shows the JavaScript dialogs of the watched page. Without buttons for view-only viewers. */
export function createDialogs(
  send: (message: InteractMessage) => void,
  isInteractive: boolean,
): (dialog: Dialog | null) => void {
  const { dialog: box } = elements
  const [origin, text, input, menu] = ['small', 'p', 'input', 'menu'].map((name) => box.querySelector(name))
  let waiting: ReturnType<typeof setTimeout> | undefined
  let open: Dialog | null = null

  const show = (dialog: Dialog): void => {
    if (!(input instanceof HTMLInputElement) || !(menu instanceof HTMLElement) || !origin || !text) return
    const host = URL.canParse(dialog.url) ? new URL(dialog.url).host : ''
    origin.textContent = host === '' ? 'The page says' : `${host} says`
    text.textContent = dialog.kind === 'beforeunload' ? 'Leave this page? Changes may not be saved.' : dialog.message
    input.hidden = dialog.kind !== 'prompt'
    input.value = dialog.defaultText
    input.readOnly = !isInteractive
    menu.hidden = !isInteractive
    const [cancel] = menu.children
    if (cancel instanceof HTMLElement) cancel.hidden = dialog.kind === 'alert'
    box.returnValue = ''
    if (!isInteractive) return box.show()
    box.showModal()
    const answer = dialog.kind === 'prompt' ? input : menu.lastElementChild
    if (answer instanceof HTMLElement) answer.focus()
    input.select()
  }
  box.addEventListener('close', () => {
    if (open === null) return
    const answer = open.kind === 'prompt' && input instanceof HTMLInputElement ? { text: input.value } : {}
    send({ type: 'dialog', isAccepted: box.returnValue === 'accept' || open.kind === 'alert', ...answer })
    open = null
  })
  // Enter in the text field would submit with the first button, which is Cancel.
  input?.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || event.key !== 'Enter') return
    event.preventDefault()
    box.close('accept')
  })
  return (dialog) => {
    clearTimeout(waiting)
    open = null
    box.close()
    if (dialog === null) return
    waiting = setTimeout(() => {
      show(dialog)
      open = dialog
    }, showDelayMs)
  }
}
