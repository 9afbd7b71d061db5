import type { InteractMessage } from '../viewer-message.ts'
import { elements } from './elements.ts'
import { modifiersOf } from './modifiers.ts'
import type { PageCanvas } from './page-canvas.ts'

type Send = (message: InteractMessage) => void
type Point = { id: number; x: number; y: number }

const buttonNames = ['left', 'middle', 'right', 'back', 'forward'] as const
const multiClickMs = 500
const multiClickPixels = 5
const lineHeight = 33

/** Sends mouse, pen and touch input on the canvas. Calls `onPress` before a press is sent. */
export function listenToPointer(canvas: PageCanvas, send: Send, onPress: (event: PointerEvent) => void): void {
  const surface = elements.canvas
  listenToMouse(surface, canvas, send, onPress)
  listenToTouch(surface, canvas, send)
  surface.addEventListener('contextmenu', (event) => event.preventDefault())
  surface.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault()
      const unit = event.deltaMode === 0 ? 1 / canvas.scale() : event.deltaMode === 1 ? lineHeight : innerHeight
      const { x, y } = canvas.toPage(event)
      const [deltaX, deltaY] = [event.deltaX * unit, event.deltaY * unit]
      send({ type: 'wheel', x, y, deltaX, deltaY, modifiers: modifiersOf(event) })
    },
    { passive: false },
  )
}

function listenToMouse(
  surface: HTMLElement,
  canvas: PageCanvas,
  send: Send,
  onPress: (event: PointerEvent) => void,
): void {
  let waitingMove: PointerEvent | undefined
  const pressed = new Set<number>()
  const clicks = createClickCounter()

  const emit = (action: 'move' | 'down' | 'up', event: PointerEvent): void => {
    const button = action === 'move' ? heldButton(event.buttons) : (buttonNames[event.button] ?? 'none')
    const count = action === 'down' ? clicks.add(event) : action === 'up' ? clicks.count() : 0
    const { buttons } = event
    send({
      type: 'mouse',
      action,
      ...canvas.toPage(event),
      button,
      buttons,
      clicks: count,
      modifiers: modifiersOf(event),
    })
  }
  const flushMove = (): void => {
    if (waitingMove !== undefined) emit('move', waitingMove)
    waitingMove = undefined
  }
  const onMouse = (
    name: 'pointermove' | 'pointerdown' | 'pointerup' | 'pointercancel',
    act: (event: PointerEvent) => void,
  ): void => surface.addEventListener(name, (event) => event.pointerType !== 'touch' && act(event))

  onMouse('pointermove', (event) => {
    // At most one move per animation frame.
    if (waitingMove === undefined) requestAnimationFrame(flushMove)
    waitingMove = event
  })
  onMouse('pointerdown', (event) => {
    event.preventDefault()
    surface.setPointerCapture(event.pointerId)
    flushMove()
    onPress(event)
    pressed.add(event.button)
    emit('down', event)
  })
  onMouse('pointerup', (event) => {
    flushMove()
    pressed.delete(event.button)
    emit('up', event)
  })
  onMouse('pointercancel', (event) => {
    waitingMove = undefined
    for (const button of pressed) {
      const name = buttonNames[button] ?? 'none'
      // Outside the page, so that the release is no click.
      const message = { type: 'mouse', action: 'up', x: -1, y: -1, button: name, buttons: 0, clicks: 0 } as const
      send({ ...message, modifiers: modifiersOf(event) })
    }
    pressed.clear()
  })
}

interface ClickCounter {
  /** Counts a press, and returns its number in a double or triple click. */
  readonly add: (event: PointerEvent) => number
  /** Number of the last press. */
  readonly count: () => number
}

function createClickCounter(): ClickCounter {
  let last = { count: 0, button: -1, x: 0, y: 0, at: 0 }
  return {
    add: (event) => {
      const isNear = Math.hypot(event.clientX - last.x, event.clientY - last.y) < multiClickPixels
      const isNext = isNear && event.button === last.button && event.timeStamp - last.at < multiClickMs
      const count = isNext && last.count < 3 ? last.count + 1 : 1
      last = { count, button: event.button, x: event.clientX, y: event.clientY, at: event.timeStamp }
      return count
    },
    count: () => last.count,
  }
}

function listenToTouch(surface: HTMLElement, canvas: PageCanvas, send: Send): void {
  const actions = { touchstart: 'start', touchmove: 'move', touchend: 'end', touchcancel: 'cancel' } as const
  for (const [name, action] of Object.entries(actions) as [
    keyof typeof actions,
    'start' | 'move' | 'end' | 'cancel',
  ][]) {
    surface.addEventListener(
      name,
      (event) => {
        event.preventDefault()
        // In CDP, the points of an end are those that are lifted.
        const touches = action === 'end' ? event.changedTouches : event.targetTouches
        const points = Array.from(touches, (touch): Point => {
          const { x, y } = canvas.toPage(touch)
          // Some browsers count identifiers up without limit; the protocol accepts 0 to 31.
          return { id: touch.identifier % 32, x, y }
        })
        send({ type: 'touch', action, points: action === 'cancel' ? [] : points, modifiers: modifiersOf(event) })
      },
      { passive: false },
    )
  }
}

function heldButton(buttons: number): 'none' | 'left' | 'middle' | 'right' {
  return (buttons & 1) !== 0 ? 'left' : (buttons & 2) !== 0 ? 'right' : (buttons & 4) !== 0 ? 'middle' : 'none'
}
