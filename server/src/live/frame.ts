import type { Frame } from '../cdp/screencast.ts'

/**
 * Bytes before the image, all big-endian: kind (1), format (1), width (2), height (2),
 * reserved (2), frame number (4).
 */
export const frameHeaderBytes = 12

/** Encodes a frame with the number that its viewer acknowledges. */
export function encodeFrame(frame: Frame, number: number): Buffer {
  const message = Buffer.allocUnsafe(frameHeaderBytes + frame.image.length)
  message.writeUInt8(1, 0)
  message.writeUInt8(frame.format === 'jpeg' ? 0 : 1, 1)
  message.writeUInt16BE(toUint16(frame.width), 2)
  message.writeUInt16BE(toUint16(frame.height), 4)
  message.writeUInt16BE(0, 6)
  message.writeUInt32BE(number, 8)
  frame.image.copy(message, frameHeaderBytes)
  return message
}

/** Returns the nearest size that fits. Sizes come from the browser, so they may be anything. */
function toUint16(size: number): number {
  return Math.max(0, Math.min(size, 65_535))
}
