import type { Duplex } from 'node:stream'

/** Joins two sockets until both directions have ended. Either one failing ends both; back-pressure holds both ways. */
export const splice = (left: Duplex, right: Duplex): void => {
  pour(left, right)
  pour(right, left)
  // One that is gone already will not say so again.
  if (left.destroyed || right.destroyed) {
    left.destroy()
    right.destroy()
  }
}

const pour = (from: Duplex, into: Duplex): void => {
  from.pipe(into)
  from.on('error', () => into.destroy())
  // Whoever is gone takes nothing more, so the other one goes, too, once it has been given the rest.
  from.on('close', () => {
    if (from.readableEnded) into.end(() => into.destroy())
    else into.destroy()
  })
}
