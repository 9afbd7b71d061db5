import type { ServerMessage, Tab } from '../server-message.ts'
import type { ViewerMessage } from '../viewer-message.ts'
import { elements } from './elements.ts'

type TabsMessage = Extract<ServerMessage, { type: 'tabs' }>

const crossPath = 'M4.500 4.500l7 7M11.500 4.500l-7 7'

/** Renders the tab strip and the URL of the shown tab. */
export function showTabs(
  { tabs, shown, isFollowing }: TabsMessage,
  isInteractive: boolean,
  send: (message: ViewerMessage) => void,
): void {
  const focused = document.activeElement?.closest<HTMLElement>('.tab')?.dataset['tab']
  elements.tabs.replaceChildren(
    ...tabs.map((tab) => tabElement(tab, tab.id === shown, isInteractive && tabs.length > 1, send)),
  )
  // A tab list must contain nothing but tabs, so it owns them, and not the buttons next to them.
  elements.tabList.setAttribute('aria-owns', tabs.map((tab) => idOf(tab)).join(' '))
  if (focused !== undefined) {
    elements.tabs.querySelector<HTMLElement>(`[data-tab="${CSS.escape(focused)}"] [role=tab]`)?.focus()
  }
  elements.tabs.querySelector('[data-shown]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  elements.follow.hidden = isFollowing || tabs.length < 2
  const tab = tabs.find((each) => each.id === shown)
  if (document.activeElement !== elements.address || !isInteractive) {
    elements.address.value = tab === undefined || tab.url === 'about:blank' ? '' : tab.url
  }
  document.title = tab === undefined || tab.title === '' ? 'Live view' : `${tab.title} · live view`
  document.body.dataset['page'] = tab?.isCrashed === true ? 'crashed' : tab === undefined ? 'none' : 'open'
}

function tabElement(
  tab: Tab,
  isShown: boolean,
  canClose: boolean,
  send: (message: ViewerMessage) => void,
): HTMLElement {
  const name = tab.title === '' || tab.title === 'about:blank' ? tab.url.replace('about:blank', 'New tab') : tab.title
  const element = document.createElement('div')
  element.className = 'tab'
  element.dataset['tab'] = tab.id
  if (isShown) element.dataset['shown'] = ''
  const button = document.createElement('button')
  button.type = 'button'
  button.id = idOf(tab)
  button.setAttribute('role', 'tab')
  button.setAttribute('aria-selected', String(isShown))
  button.textContent = name === '' ? 'Loading' : name
  button.title = name
  button.addEventListener('click', () => send({ type: 'show', tab: tab.id }))
  element.append(button)
  if (canClose) element.append(closeButton(tab, name, send))
  return element
}

function idOf(tab: Tab): string {
  return `tab-${tab.id}`
}

function closeButton(tab: Tab, name: string, send: (message: ViewerMessage) => void): HTMLElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'icon close'
  button.setAttribute('aria-label', `Close ${name}`)
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  drawing.setAttribute('viewBox', '0 0 16 16')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', crossPath)
  drawing.append(path)
  button.append(drawing)
  button.addEventListener('click', () => send({ type: 'close-tab', tab: tab.id }))
  return button
}
