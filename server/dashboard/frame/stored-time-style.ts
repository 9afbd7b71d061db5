import { readStored, writeStored } from '../api/browser-storage.ts'
import type { TimeStyle } from '../components/time-style.ts'

const storageName = 'bowline.times'

/** The style of times chosen in this browser. Default: `relative`. */
export function storedTimeStyle(): TimeStyle {
  return readStored('localStorage', storageName) === 'exact' ? 'exact' : 'relative'
}

/** Stores the style of times in this browser. */
export function storeTimeStyle(style: TimeStyle): void {
  writeStored('localStorage', storageName, style)
}
