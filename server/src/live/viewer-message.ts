import { z } from 'zod'

/** Coordinates are CSS pixels of the watched page. */
const coordinate = z.number().min(-100_000).max(100_000)
/** Bits as the protocol counts them: Alt 1, Ctrl 2, Meta 4, Shift 8. */
const modifiers = z.int().min(0).max(15)
const longText = z.string().max(1_000_000)
const tabId = z.string().max(64)

/** Which pixels a viewer can show, so that no larger picture is sent, and whether anyone can see them. */
const looksMessage = z.object({
  type: z.literal('looks'),
  isVisible: z.boolean(),
  width: z.int().min(1).max(8192),
  height: z.int().min(1).max(8192),
  /** Milliseconds between two pictures, for small pictures of which there are many. Default 0: as many as can be drawn. */
  everyMs: z.int().min(0).max(60_000).default(0),
})

/** What every viewer may send. */
export const watchingMessage = z.discriminatedUnion('type', [
  looksMessage,
  /** A frame was drawn. */
  z.object({ type: z.literal('drawn'), frame: z.int().min(0) }),
  /** Look at one tab, or follow the active one. */
  z.object({ type: z.literal('show'), tab: tabId.nullable() }),
])

/** What a viewer with an interact token may send. */
export const actingMessage = z.discriminatedUnion('type', [
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
  /** Text that was typed or pasted as a whole. */
  z.object({ type: z.literal('text'), text: longText }),
  /** Tell what is selected in the page, for the viewer's own clipboard. */
  z.object({ type: z.literal('copy') }),
  /** What an input method shows before it is decided. */
  z.object({ type: z.literal('compose'), text: longText, start: z.int().min(0), end: z.int().min(0) }),
  z.object({ type: z.literal('dialog'), isAccepted: z.boolean(), text: longText.optional() }),
  /** One of the options that the server told of, by its place in that list. */
  z.object({ type: z.literal('choose'), option: z.int().min(0).nullable() }),
  z.object({ type: z.literal('navigate'), url: z.string().max(100_000) }),
  z.object({ type: z.literal('history'), step: z.union([z.literal(-1), z.literal(1)]) }),
  z.object({ type: z.literal('reload') }),
  z.object({ type: z.literal('open-tab') }),
  z.object({ type: z.literal('close-tab'), tab: tabId }),
])

export type WatchingMessage = z.output<typeof watchingMessage>
export type ActingMessage = z.output<typeof actingMessage>
/** Anything a viewer may send. */
export type ViewerMessage = z.input<typeof watchingMessage> | ActingMessage
