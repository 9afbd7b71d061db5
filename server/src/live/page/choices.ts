import type { Choices } from '../server-message.ts'
import type { ActingMessage } from '../viewer-message.ts'
import { elements } from './elements.ts'
import { focusKeyboard } from './keyboard.ts'
import type { Picture } from './picture.ts'

/** Shows the options of a select element in place of its own list, which no picture contains. */
export function showChoices(choices: Choices | null, picture: Picture, send: (message: ActingMessage) => void): void {
  const { choices: list } = elements
  const hadFocus = list.contains(document.activeElement)
  list.hidden = choices === null
  if (choices === null) {
    list.replaceChildren()
    if (hadFocus) focusKeyboard()
    return
  }
  list.replaceChildren(
    ...choices.options.map((option, index) => {
      const item = document.createElement('li')
      item.setAttribute('role', 'option')
      item.setAttribute('aria-selected', String(index === choices.chosen))
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = option.label
      button.disabled = option.isDisabled
      button.addEventListener('click', () => send({ type: 'choose', option: index }))
      item.append(button)
      return item
    }),
  )
  for (const button of list.querySelectorAll('button')) {
    button.addEventListener('keydown', (event) => moveFocus(event, list, send))
  }
  place(list, choices.box, picture.scale())
  // What is chosen at first is often a request to choose, which cannot be chosen itself.
  const chosen = list.querySelector<HTMLElement>('[aria-selected=true] button:enabled')
  const focused = chosen ?? list.querySelector<HTMLElement>('button:enabled')
  focused?.focus()
}

/** Puts the list below its element, or above it where there is no room; never beyond the stage. */
function place(list: HTMLElement, box: Choices['box'], scale: number): void {
  const room = elements.stage.getBoundingClientRect()
  const sheet = elements.sheet.getBoundingClientRect()
  list.style.minWidth = `${box.width * scale}px`
  list.style.maxWidth = `${room.width - 2 * edge}px`
  const size = list.getBoundingClientRect()
  const [top, bottom] = [sheet.top + box.y * scale, sheet.top + (box.y + box.height) * scale]
  const isBelow = bottom + size.height + edge <= room.bottom
  const highest = isBelow ? bottom + 2 : Math.min(top - size.height, room.bottom - size.height) - edge
  const leftmost = Math.min(sheet.left + box.x * scale, room.right - size.width - edge)
  list.style.left = `${Math.max(room.left + edge, leftmost) - sheet.left}px`
  list.style.top = `${Math.max(room.top + edge, highest) - sheet.top}px`
}

/** Pixels between a list and the edge of the stage. */
const edge = 4

function moveFocus(event: KeyboardEvent, list: HTMLElement, send: (message: ActingMessage) => void): void {
  if (event.key === 'Escape') return send({ type: 'choose', option: null })
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const buttons = [...list.querySelectorAll<HTMLElement>('button:enabled')]
  const at = buttons.findIndex((button) => button === document.activeElement)
  buttons[at + step]?.focus()
}
