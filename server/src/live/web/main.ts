import { copyText } from './clipboard.ts'
import type { Dialog, ViewerPageState, ServerMessage } from '../server-message.ts'
import { showChoices } from './choices.ts'
import { Connection } from './connection.ts'
import { showOverlay, showEnd, showPhase } from './overlay.ts'
import { createDialogs } from './dialog.ts'
import { elements } from './elements.ts'
import { createHandoffs, type Handoffs } from './handoffs.ts'
import { focusKeyboard, listenToKeyboard } from './keyboard.ts'
import { createPageCanvas, type PageCanvas } from './page-canvas.ts'
import { listenToPointer } from './pointer.ts'
import { showTabs } from './tab-strip.ts'

const noticeMs = 5000

/** Shared state of the page. */
interface View {
  readonly isInteractive: boolean
  readonly connection: Connection
  readonly canvas: PageCanvas
  readonly dialogs: (dialog: Dialog | null) => void
  readonly handoffs: Handoffs
  hasFrame: boolean
}

/** Connects to a live session and shows it until it ends. */
function start(isInteractive: boolean): void {
  const connection = new Connection({
    onMessage: (message) => receive(view, message),
    onFrame: (frame) => {
      canvas.show(frame)
      view.hasFrame = true
      showPhase(document.visibilityState === 'visible' ? 'live' : 'paused')
      showPage(view)
    },
    onLost: () => {
      view.dialogs(null)
      showPhase('reconnecting')
      showOverlay({ title: 'Connection lost', text: 'Reconnecting. The session keeps running.' })
    },
  })
  const canvas = createPageCanvas((frame) => connection.send({ type: 'drawn', frame }))
  const view: View = {
    isInteractive,
    connection,
    canvas,
    dialogs: createDialogs(connection.send, isInteractive),
    handoffs: createHandoffs(connection.send, isInteractive),
    hasFrame: false,
  }
  document.addEventListener('visibilitychange', () => sendViewport(view))
  new ResizeObserver(() => sendViewport(view)).observe(elements.viewport)
  elements.follow.addEventListener('click', () => connection.send({ type: 'show', tab: null }))
  elements.role.textContent = isInteractive ? '' : 'View only'
  if (!isInteractive) return
  listenToPointer(canvas, connection.send, focusKeyboard)
  listenToKeyboard(connection.send)
  listenToBar(connection.send)
}

function receive(view: View, message: ServerMessage): void {
  switch (message.type) {
    case 'hello':
      view.handoffs.set([])
      showRequestedTab(view)
      return sendViewport(view)
    case 'tabs':
      view.handoffs.setShown(message.shown)
      showTabs(message, view.isInteractive, view.connection.send)
      return showPage(view)
    case 'handoffs':
      return view.handoffs.set(message.handoffs)
    case 'dialog':
      view.dialogs(message.dialog)
      return message.dialog === null ? showPage(view) : showUndrawnPage(view)
    case 'choices':
      return view.isInteractive ? showChoices(message.choices, view.canvas, view.connection.send) : undefined
    case 'clipboard':
      return void copyText(message.text).then((isCopied) => {
        if (!isCopied) showNotice('Could not copy: your browser denied access to the clipboard')
      })
    case 'notice':
      return showNotice(message.text)
    case 'ended':
      view.connection.end()
      view.dialogs(null)
      view.handoffs.set([])
      return showEnd(message)
    case 'inspected':
    case 'heartbeat':
      return
  }
  message satisfies never
}

/** Shows the tab that the URL names, once. */
function showRequestedTab({ connection }: View): void {
  const url = new URL(location.href)
  const tab = url.searchParams.get('tab')
  if (tab === null) return
  connection.send({ type: 'show', tab })
  url.searchParams.delete('tab')
  history.replaceState(null, '', url)
}

/** Sends the size and visibility of the viewport to the server. */
function sendViewport(view: View): void {
  const { clientWidth, clientHeight } = elements.viewport
  const size = (length: number): number => Math.min(8192, Math.max(1, Math.round(length * devicePixelRatio)))
  const isVisible = document.visibilityState === 'visible'
  const phase = document.body.dataset['phase']
  if (phase === 'live' || phase === 'paused') showPhase(isVisible ? 'live' : 'paused')
  view.connection.send({ type: 'viewport', isVisible, width: size(clientWidth), height: size(clientHeight) })
}

function listenToBar(send: Connection['send']): void {
  const { openTab, travel, back, forward, reload, address, bar, keyboard, keys } = elements
  document.body.dataset['interactive'] = ''
  for (const element of [openTab, travel, keys]) element.hidden = false
  address.readOnly = false
  address.placeholder = 'Enter a URL'
  keyboard.hidden = !matchMedia('(pointer: coarse)').matches
  keyboard.addEventListener('click', () => focusKeyboard())
  openTab.addEventListener('click', () => send({ type: 'open-tab' }))
  back.addEventListener('click', () => send({ type: 'history', step: -1 }))
  forward.addEventListener('click', () => send({ type: 'history', step: 1 }))
  reload.addEventListener('click', () => send({ type: 'reload' }))
  address.addEventListener('focus', () => address.select())
  bar.addEventListener('submit', (event) => {
    event.preventDefault()
    const url = toUrl(address.value.trim())
    if (url === undefined) return
    send({ type: 'navigate', url })
    focusKeyboard()
  })
}

/** Completes a typed address such as `example.com` or `localhost:3000` to a URL. */
function toUrl(typed: string): string | undefined {
  if (typed === '') return undefined
  if (/^[a-z][a-z\d+.-]*:(?!\d)/i.test(typed)) return typed
  return /^(localhost|\d+(\.\d+){3}|\[)/i.test(typed) ? `http://${typed}` : `https://${typed}`
}

function showPage({ hasFrame }: View): void {
  const page = document.body.dataset['page']
  if (page === 'crashed') showOverlay({ title: 'This page has crashed', text: 'Reload it or switch to another tab.' })
  else if (page === 'none') showOverlay({ title: 'No page is open', text: 'The next page that opens appears here.' })
  else if (hasFrame) showOverlay(undefined)
}

/** Shows why there is no picture. A dialog can open before its page is drawn, and pauses it. */
function showUndrawnPage({ hasFrame }: View): void {
  if (hasFrame) return
  showPhase(document.visibilityState === 'visible' ? 'live' : 'paused')
  showOverlay({ title: 'No picture yet', text: 'The page appears once its dialog is answered.' })
}

let noticeTimer: ReturnType<typeof setTimeout> | undefined
function showNotice(text: string): void {
  elements.notice.textContent = text
  elements.notice.hidden = false
  clearTimeout(noticeTimer)
  noticeTimer = setTimeout(() => {
    elements.notice.hidden = true
  }, noticeMs)
}

const state = JSON.parse(document.body.dataset['state'] ?? '') as ViewerPageState
if (state.kind === 'live') {
  showPhase('connecting')
  showOverlay({ title: 'Connecting', text: 'Waiting for the first frame.' })
  start(state.isInteractive)
} else if (state.kind === 'ended') {
  showEnd(state)
} else {
  showPhase('refused')
  showOverlay({ title: 'Live view not available', text: state.message })
}
