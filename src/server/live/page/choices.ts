import type { Choices } from '../server-message.ts'
import type { ActingMessage } from '../viewer-message.ts'
import { elements } from './elements.ts'
import { focusKeyboard } from './keyboard.ts'
import type { Picture } from './picture.ts'

/** Shows the options of a select element in place of its own list, which no picture contains. */
export const showChoices = (
  choices: Choices | null,
  picture: Picture,
  send: (message: ActingMessage) => void,
): void => {
  const { choices: list } = elements
  const hadFocus = list.contains(document.activeElement)
  list.hidden = choices === null
  if (choices === null) {
    list.replaceChildren()
    if (hadFocus) focusKeyboard()
    return
  }
  const scale = picture.scale()
  list.style.left = `${choices.box.x * scale}px`
  list.style.top = `${(choices.box.y + choices.box.height) * scale}px`
  list.style.minWidth = `${choices.box.width * scale}px`
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
  list.querySelector<HTMLElement>('[aria-selected=true] button')?.focus()
}

const moveFocus = (event: KeyboardEvent, list: HTMLElement, send: (message: ActingMessage) => void): void => {
  if (event.key === 'Escape') return send({ type: 'choose', option: null })
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const buttons = [...list.querySelectorAll<HTMLElement>('button:enabled')]
  const at = buttons.findIndex((button) => button === document.activeElement)
  buttons[at + step]?.focus()
}
