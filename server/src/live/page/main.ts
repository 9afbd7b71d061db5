import { copyText } from './clipboard.ts'
import type { Dialog, PageState, ServerMessage } from '../server-message.ts'
import { showChoices } from './choices.ts'
import { connect, type Connection } from './connection.ts'
import { showCover, showEnd, showPhase } from './cover.ts'
import { createDialogs } from './dialog.ts'
import { elements } from './elements.ts'
import { focusKeyboard, listenToKeyboard } from './keyboard.ts'
import { createPicture, type Picture } from './picture.ts'
import { listenToPointer } from './pointer.ts'
import { showTabs } from './tab-strip.ts'

const noticeMs = 5000

/** What the parts of the page share. */
interface View {
  readonly isInteractive: boolean
  readonly connection: Connection
  readonly picture: Picture
  readonly dialogs: (dialog: Dialog | null) => void
  hasFrame: boolean
}

/** Shows a session that lives, and keeps showing it until it ends. */
function start(isInteractive: boolean): void {
  const connection = connect({
    onMessage: (message) => receive(view, message),
    onFrame: (frame) => {
      picture.show(frame)
      view.hasFrame = true
      showPhase(document.visibilityState === 'visible' ? 'live' : 'paused')
      showPage(view)
    },
    onLost: () => {
      view.dialogs(null)
      showPhase('reconnecting')
      showCover({ title: 'Connection lost', text: 'Trying again. The session goes on meanwhile.' })
    },
  })
  const picture = createPicture((frame) => connection.send({ type: 'drawn', frame }))
  const view: View = {
    isInteractive,
    connection,
    picture,
    dialogs: createDialogs(connection.send, isInteractive),
    hasFrame: false,
  }
  document.addEventListener('visibilitychange', () => sendLayout(view))
  new ResizeObserver(() => sendLayout(view)).observe(elements.stage)
  elements.follow.addEventListener('click', () => connection.send({ type: 'show', tab: null }))
  elements.role.textContent = isInteractive ? '' : 'Watching'
  if (!isInteractive) return
  listenToPointer(picture, connection.send, focusKeyboard)
  listenToKeyboard(connection.send)
  listenToBar(connection.send)
}

function receive(view: View, message: ServerMessage): void {
  switch (message.type) {
    case 'hello':
      return sendLayout(view)
    case 'tabs':
      showTabs(message, view.isInteractive, view.connection.send)
      return showPage(view)
    case 'dialog':
      return view.dialogs(message.dialog)
    case 'choices':
      return view.isInteractive ? showChoices(message.choices, view.picture, view.connection.send) : undefined
    case 'clipboard':
      return void copyText(message.text).then((isCopied) => {
        if (!isCopied) showNotice('Your browser does not let this page use your clipboard')
      })
    case 'notice':
      return showNotice(message.text)
    case 'ended':
      view.connection.end()
      view.dialogs(null)
      return showEnd(message)
    case 'pace':
    case 'beat':
      return
  }
  message satisfies never
}

/** Tells the server how large a picture is of use, and whether anybody can see it. */
function sendLayout(view: View): void {
  const { clientWidth, clientHeight } = elements.stage
  const size = (length: number): number => Math.min(8192, Math.max(1, Math.round(length * devicePixelRatio)))
  const isVisible = document.visibilityState === 'visible'
  const phase = document.body.dataset['phase']
  if (phase === 'live' || phase === 'paused') showPhase(isVisible ? 'live' : 'paused')
  view.connection.send({ type: 'looks', isVisible, width: size(clientWidth), height: size(clientHeight) })
}

function listenToBar(send: Connection['send']): void {
  const { openTab, travel, back, forward, reload, address, bar, keyboard, keys } = elements
  document.body.dataset['interactive'] = ''
  for (const element of [openTab, travel, keys]) element.hidden = false
  address.readOnly = false
  address.placeholder = 'Type an address'
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

/** What somebody means who types `example.com` or `localhost:3000`. */
function toUrl(typed: string): string | undefined {
  if (typed === '') return undefined
  if (/^[a-z][a-z\d+.-]*:(?!\d)/i.test(typed)) return typed
  return /^(localhost|\d+(\.\d+){3}|\[)/i.test(typed) ? `http://${typed}` : `https://${typed}`
}

function showPage({ hasFrame }: View): void {
  const page = document.body.dataset['page']
  if (page === 'crashed') showCover({ title: 'This page has crashed', text: 'Reload it, or go on in another tab.' })
  else if (page === 'none') showCover({ title: 'No page is open', text: 'It shows here as soon as there is one.' })
  else if (hasFrame) showCover(undefined)
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

const state = JSON.parse(document.body.dataset['state'] ?? '') as PageState
if (state.kind === 'live') {
  showPhase('connecting')
  showCover({ title: 'Connecting', text: 'The picture comes in a moment.' })
  start(state.isInteractive)
} else if (state.kind === 'ended') {
  showEnd(state)
} else {
  showPhase('refused')
  showCover({ title: 'There is no live view here', text: state.message })
}
