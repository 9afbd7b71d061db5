import type { PageAccess } from '../cdp/page-access.ts'
import type { PressedKey } from './input.ts'
import { inspectPoint, type HiddenPopup } from './inspect-point.ts'
import type { Choices, ServerMessage } from './server-message.ts'

/** Dependencies of `SelectList`. */
export interface SelectListDeps {
  readonly page: PageAccess
  /** Presses and releases a key in the page. */
  readonly press: (key: PressedKey) => void
  readonly notify: (message: ServerMessage) => void
}

/** The list of the select element that was clicked in a watched tab, if one is open. */
export class SelectList {
  readonly #deps: SelectListDeps
  #choices: Choices | null = null

  constructor(deps: SelectListDeps) {
    this.#deps = deps
  }

  /**
   * Shows the list of a select element at a point that was clicked, or a notice about a popup that
   * viewers do not see. Never rejects.
   */
  async openAt(point: { readonly x: number; readonly y: number }): Promise<void> {
    const { page, notify } = this.#deps
    // Fails if the page navigates meanwhile.
    const found = await inspectPoint(page, point).catch(() => undefined)
    if (found === undefined) return
    if (typeof found === 'string') notify({ type: 'notice', text: popupNotices[found] })
    else this.#set(found)
  }

  close(): void {
    if (this.#choices !== null) this.#set(null)
  }

  /** Chooses an option. `null` closes the list. */
  choose(option: number | null): void {
    const choices = this.#choices
    if (choices === null) return
    this.#set(null)
    if (option === null || choices.options[option] === undefined) return this.#deps.press('Escape')
    const from = Math.min(option, choices.chosen)
    const crossed = choices.options.slice(from + 1, Math.max(option, choices.chosen) + 1)
    const steps = option > choices.chosen ? crossed : choices.options.slice(from, Math.max(option, choices.chosen))
    const arrow = option > choices.chosen ? 'ArrowDown' : 'ArrowUp'
    for (const { isDisabled } of steps) if (!isDisabled) this.#deps.press(arrow)
    this.#deps.press('Enter')
  }

  #set(choices: Choices | null): void {
    this.#choices = choices
    this.#deps.notify({ type: 'choices', choices })
  }
}

const popupNotices: Readonly<Record<HiddenPopup, string>> = {
  file: 'File choosers are not supported in the live view',
  date: 'Date and time pickers are not supported in the live view. Type the value into the field.',
  color: 'Color pickers are not supported in the live view',
  suggestions: 'The live view does not show the suggestions for this field. Type the value.',
}
