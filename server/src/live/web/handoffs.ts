import type { OpenHandoff } from '../server-message.ts'
import type { ViewerMessage } from '../viewer-message.ts'
import { elements } from './elements.ts'

/** The bar that asks the viewer for help. */
export interface Handoffs {
  /** Sets the open hand-offs of the session. */
  readonly set: (handoffs: readonly OpenHandoff[]) => void
  /** Sets the tab that is shown. Its hand-off comes first. */
  readonly setShown: (tab: string | undefined) => void
}

/** Shows one open hand-off. Without buttons that end it for view-only viewers. */
export function createHandoffs(send: (message: ViewerMessage) => void, isInteractive: boolean): Handoffs {
  const { handoff: box, handoffTab, handoffAnswer } = elements
  const [title, text, note] = [box.querySelector('h2'), box.querySelector('p'), box.querySelector('input')]
  const buttons = handoffAnswer.querySelectorAll('button')
  let open: readonly OpenHandoff[] = []
  let shownTab: string | undefined
  let current: OpenHandoff | undefined

  const show = (): void => {
    const next = open.find(({ tab }) => tab === shownTab) ?? open[0]
    if (next?.id !== current?.id) {
      if (note) note.value = ''
      for (const button of buttons) button.disabled = false
    }
    current = next
    box.hidden = current === undefined
    if (current === undefined || !title || !text) return
    title.textContent = isInteractive ? 'Your help is needed' : 'A human is needed'
    text.textContent = current.instructions
    handoffTab.hidden = current.tab === shownTab
    handoffAnswer.hidden = !isInteractive
  }
  handoffTab.addEventListener('click', () => {
    if (current !== undefined) send({ type: 'show', tab: current.tab })
  })
  // Enter in the note must not choose a button.
  handoffAnswer.addEventListener('submit', (event) => event.preventDefault())
  for (const button of buttons) {
    button.addEventListener('click', () => {
      if (current === undefined) return
      for (const each of buttons) each.disabled = true
      const isSuccess = button.value === 'done'
      send({ type: 'end-handoff', handoff: current.id, isSuccess, note: note?.value.trim() ?? '' })
    })
  }
  return {
    set: (handoffs) => {
      open = handoffs
      show()
    },
    setShown: (tab) => {
      shownTab = tab
      show()
    },
  }
}
