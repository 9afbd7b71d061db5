import { BowlineError } from 'bowline/kit/errors'
import { isUuid } from 'bowline/kit/ids'

/** Position in a list that is sorted by creation, newest first. */
export interface ListPosition {
  readonly createdAt: Date
  readonly id: string
}

/** Formats the position after a row as the cursor of the next page. */
export function writeCursor({ createdAt, id }: ListPosition): string {
  return Buffer.from(`${createdAt.toISOString()}:${id}`).toString('base64url')
}

/** Parses a cursor. Throws BAD_REQUEST. */
export function readCursor(cursor: string | undefined): ListPosition | undefined {
  if (cursor === undefined) return undefined
  const [, time = '', id = ''] = /^(20\d\d-.+Z):([^:]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const createdAt = new Date(time)
  if (isUuid(id) && !Number.isNaN(createdAt.getTime())) return { createdAt, id }
  throw new BowlineError('BAD_REQUEST', 'Invalid cursor.', {
    hint: 'Send the `cursor` of the previous page, unchanged.',
  })
}
