import type { Document } from '../../contract/document.ts'
import type { BulkRound } from './plan.ts'

/** A document as the caller of its job asked for it. */
export const showDocument = (document: Document, { showsExtract, showsLinks }: BulkRound): Document => {
  const { links, json, ...rest } = document
  return {
    ...rest,
    ...(links !== undefined && showsLinks && { links }),
    ...(json !== undefined && (showsExtract ? { extract: json } : { json })),
  }
}
