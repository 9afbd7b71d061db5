import type { Choices } from '../server-message.ts'
import type { InteractMessage } from '../viewer-message.ts'
import { elements } from './elements.ts'
import { focusKeyboard } from './keyboard.ts'
import type { PageCanvas } from './page-canvas.ts'

/** Shows the options of a select element, whose native list is not part of the frames. */
export function showChoices(
  choices: Choices | null,
  canvas: PageCanvas,
  send: (message: InteractMessage) => void,
): void {
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
  positionList(list, choices.box, canvas.scale())
  // The selected option is often a disabled placeholder such as "Please choose".
  const chosen = list.querySelector<HTMLElement>('[aria-selected=true] button:enabled')
  const focused = chosen ?? list.querySelector<HTMLElement>('button:enabled')
  focused?.focus()
}

/** Positions the list below its element, or above if there is no room, within the viewport. */
function positionList(list: HTMLElement, box: Choices['box'], scale: number): void {
  const area = elements.viewport.getBoundingClientRect()
  const screen = elements.screen.getBoundingClientRect()
  list.style.minWidth = `${box.width * scale}px`
  list.style.maxWidth = `${area.width - 2 * edge}px`
  const size = list.getBoundingClientRect()
  const [top, bottom] = [screen.top + box.y * scale, screen.top + (box.y + box.height) * scale]
  const isBelow = bottom + size.height + edge <= area.bottom
  const highest = isBelow ? bottom + 2 : Math.min(top - size.height, area.bottom - size.height) - edge
  const leftmost = Math.min(screen.left + box.x * scale, area.right - size.width - edge)
  list.style.left = `${Math.max(area.left + edge, leftmost) - screen.left}px`
  list.style.top = `${Math.max(area.top + edge, highest) - screen.top}px`
}

/** Pixels between the list and the edge of the viewport. */
const edge = 4

function moveFocus(event: KeyboardEvent, list: HTMLElement, send: (message: InteractMessage) => void): void {
  if (event.key === 'Escape') return send({ type: 'choose', option: null })
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const buttons = [...list.querySelectorAll<HTMLElement>('button:enabled')]
  const at = buttons.findIndex((button) => button === document.activeElement)
  buttons[at + step]?.focus()
}
