import { handoffLimits } from 'bowline/contract/handoff'
import { z } from 'zod'

/** In CSS pixels of the watched page. */
const coordinate = z.number().min(-100_000).max(100_000)
/** Bit mask as in CDP: Alt 1, Ctrl 2, Meta 4, Shift 8. */
const modifiers = z.int().min(0).max(15)
const longText = z.string().max(1_000_000)
const tabId = z.string().max(64)

/** Size of the viewer's window, so that frames are not sent larger, and whether it is visible. */
const viewportMessage = z.object({
  type: z.literal('viewport'),
  isVisible: z.boolean(),
  width: z.int().min(1).max(8192),
  height: z.int().min(1).max(8192),
  /**
   * Minimum milliseconds between frames, for custom viewers such as thumbnails. Default: 0, as fast
   * as they are drawn. The live view page does not send it.
   */
  minFrameIntervalMs: z.int().min(0).max(60_000).default(0),
})

/** Messages that every viewer may send. */
export const viewMessage = z.discriminatedUnion('type', [
  viewportMessage,
  /** Acknowledges a drawn frame. */
  z.object({ type: z.literal('drawn'), frame: z.int().min(0) }),
  /** Switches to a tab, or follows the active one for `null`. */
  z.object({ type: z.literal('show'), tab: tabId.nullable() }),
  /**
   * Starts or stops the console messages and requests of the session. Needs an interact token, but
   * is no use of the session.
   */
  z.object({ type: z.literal('inspect'), isOn: z.boolean() }),
])

/** Messages that need an interact token. */
export const interactMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('mouse'),
    action: z.enum(['move', 'down', 'up']),
    x: coordinate,
    y: coordinate,
    button: z.enum(['none', 'left', 'middle', 'right', 'back', 'forward']),
    buttons: z.int().min(0).max(31),
    clicks: z.int().min(0).max(10),
    modifiers,
  }),
  z.object({
    type: z.literal('wheel'),
    x: coordinate,
    y: coordinate,
    deltaX: coordinate,
    deltaY: coordinate,
    modifiers,
  }),
  z.object({
    type: z.literal('touch'),
    action: z.enum(['start', 'move', 'end', 'cancel']),
    points: z.array(z.object({ id: z.int().min(0).max(31), x: coordinate, y: coordinate })).max(16),
    modifiers,
  }),
  z.object({
    type: z.literal('key'),
    action: z.enum(['down', 'up']),
    key: z.string().max(64),
    code: z.string().max(64),
    keyCode: z.int().min(0).max(65_535),
    location: z.int().min(0).max(3),
    modifiers,
    isRepeat: z.boolean(),
  }),
  /** Inserts text that was entered by an input method. */
  z.object({ type: z.literal('text'), text: longText }),
  /** Pastes text. The page receives a `paste` event first, and can prevent that it is inserted. */
  z.object({ type: z.literal('paste'), text: longText }),
  /** Requests the selected text of the page for the viewer's clipboard. */
  z.object({ type: z.literal('copy') }),
  /** Sets the text that an input method is composing. */
  z.object({ type: z.literal('compose'), text: longText, start: z.int().min(0), end: z.int().min(0) }),
  z.object({ type: z.literal('dialog'), isAccepted: z.boolean(), text: longText.optional() }),
  /** Gives the page of a hand-off back to the client. */
  z.object({
    type: z.literal('end-handoff'),
    handoff: z.string().max(64),
    isSuccess: z.boolean(),
    note: z.string().max(handoffLimits.reasonLength).optional(),
  }),
  /** Chooses an option of the open select element by its index. `null` closes the list. */
  z.object({ type: z.literal('choose'), option: z.int().min(0).nullable() }),
  z.object({ type: z.literal('navigate'), url: z.string().max(100_000) }),
  z.object({ type: z.literal('history'), step: z.union([z.literal(-1), z.literal(1)]) }),
  z.object({ type: z.literal('reload') }),
  z.object({ type: z.literal('open-tab') }),
  z.object({ type: z.literal('close-tab'), tab: tabId }),
])

export type ViewMessage = z.output<typeof viewMessage>
export type InteractMessage = z.output<typeof interactMessage>
/** A message from a viewer to the server. */
export type ViewerMessage = z.input<typeof viewMessage> | InteractMessage
