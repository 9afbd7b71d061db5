import { find, make, toClock } from './find.ts'

/** A row to add to a list. */
export interface NewRow {
  readonly atMs: number
  readonly className: string
  /** Values that the list can be filtered by, such as `error`. */
  readonly kinds: readonly string[]
  /** Text that a search looks in. */
  readonly text: string
  readonly cells: readonly Element[]
  /** Called when the row is clicked, or chosen with Enter. */
  readonly onChoose: () => void
}

interface Row {
  readonly atMs: number
  readonly kinds: readonly string[]
  readonly text: string
  readonly element: HTMLElement
  readonly button: HTMLButtonElement
}

const rowsPerPage = 10

/**
 * A list of rows in the order of their times. One row is in the tab order, and arrow keys move to
 * the others. A search field and a choice of kinds filter it.
 */
export class RowList {
  readonly #list: HTMLElement
  readonly #rows: readonly Row[]
  readonly #search: HTMLInputElement
  readonly #kind: HTMLSelectElement
  readonly #count: HTMLElement
  readonly #empty: HTMLElement
  readonly #emptyText: string
  #shown: readonly Row[]
  #tabStop: Row | undefined
  #current: Row | undefined
  /** Number of rows before the current time. */
  #passed = 0

  /** `emptyText` is shown if there are no rows. */
  constructor(section: HTMLElement, rows: readonly NewRow[], emptyText: string) {
    this.#list = find('ol', section)
    this.#search = find('input', section)
    this.#kind = find('select', section)
    this.#count = find('.count', section)
    this.#empty = find('.empty', section)
    this.#emptyText = emptyText
    this.#rows = rows.toSorted((one, other) => one.atMs - other.atMs).map(createRow)
    this.#shown = this.#rows
    this.#list.append(...this.#rows.map(({ element }) => element))
    const kinds = [...new Set(rows.flatMap((row) => row.kinds))].toSorted()
    this.#kind.append(new Option('All', ''), ...kinds.map((kind) => new Option(kind, kind)))
    for (const field of [this.#search, this.#kind]) field.disabled = rows.length === 0
    this.#search.addEventListener('input', () => this.#filter())
    this.#kind.addEventListener('change', () => this.#filter())
    this.#list.addEventListener('keydown', (event) => this.#moveFocus(event))
    this.#list.addEventListener('focusin', ({ target }) => {
      const focused = this.#shown.find(({ button }) => button === target)
      if (focused !== undefined) this.#setTabStop(focused)
    })
    this.#filter()
  }

  /** Marks the rows before a time, and the last of them. `follow` scrolls to it. */
  setTime(nowMs: number, { follow }: { readonly follow: boolean }): void {
    const before = this.#passed
    // Updates only rows that change: there may be tens of thousands, and this runs on every frame.
    for (let next = this.#rows[this.#passed]; next !== undefined && next.atMs <= nowMs;) {
      next.element.classList.remove('later')
      next = this.#rows[(this.#passed += 1)]
    }
    for (let last = this.#rows[this.#passed - 1]; last !== undefined && last.atMs > nowMs;) {
      last.element.classList.add('later')
      last = this.#rows[(this.#passed -= 1) - 1]
    }
    if (before !== this.#passed) this.#markCurrent({ follow })
  }

  /** Scrolls to the last row before the current time. */
  #markCurrent({ follow }: { readonly follow: boolean }): void {
    const current = this.#rows.slice(0, this.#passed).findLast(({ element }) => !element.hidden)
    if (current !== this.#current) {
      this.#current?.button.removeAttribute('aria-current')
      current?.button.setAttribute('aria-current', 'true')
      this.#current = current
    }
    if (current === undefined || !follow) return
    this.#scrollTo(current.element)
    if (!this.#list.contains(document.activeElement)) this.#setTabStop(current)
  }

  /** Scrolls the list only. `scrollIntoView()` would also scroll a page that embeds the player. */
  #scrollTo(row: HTMLElement): void {
    const [box, list] = [row.getBoundingClientRect(), this.#list.getBoundingClientRect()]
    if (box.top < list.top) this.#list.scrollTop -= list.top - box.top
    else if (box.bottom > list.bottom) this.#list.scrollTop += box.bottom - list.bottom
  }

  #filter(): void {
    const wanted = this.#search.value.trim().toLowerCase()
    const kind = this.#kind.value
    for (const row of this.#rows) {
      row.element.hidden = !(row.text.includes(wanted) && (kind === '' || row.kinds.includes(kind)))
    }
    this.#shown = this.#rows.filter(({ element }) => !element.hidden)
    const [count, total] = [this.#shown.length, this.#rows.length]
    this.#count.textContent = count === total ? String(total) : `${count} of ${total}`
    this.#empty.textContent = total === 0 ? this.#emptyText : 'Nothing matches the filter'
    this.#empty.hidden = count > 0
    if (this.#tabStop === undefined || this.#tabStop.element.hidden) this.#setTabStop(this.#shown[0])
    this.#markCurrent({ follow: false })
  }

  #setTabStop(row: Row | undefined): void {
    if (this.#tabStop !== undefined) this.#tabStop.button.tabIndex = -1
    if (row !== undefined) row.button.tabIndex = 0
    this.#tabStop = row
  }

  #moveFocus(event: KeyboardEvent): void {
    const last = this.#shown.length - 1
    const at = this.#shown.findIndex(({ button }) => button === event.target)
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + rowsPerPage, PageUp: at - rowsPerPage, Home: 0 }
    const index = event.key === 'End' ? last : next[event.key as keyof typeof next]
    if (index === undefined || at === -1) return
    event.preventDefault()
    this.#shown[Math.max(0, Math.min(index, last))]?.button.focus()
  }
}

function createRow({ atMs, className, kinds, text, cells, onChoose }: NewRow): Row {
  const element = make('li', `${className} later`.trim())
  const button = document.createElement('button')
  button.type = 'button'
  button.tabIndex = -1
  button.append(make('time', '', toClock(atMs)), ...cells)
  button.addEventListener('click', onChoose)
  element.append(button)
  return { atMs, kinds, text: text.toLowerCase(), element, button }
}
