import type { Document } from 'bowline/contract/document'
import { withoutLinks } from './page-links.ts'
import type { Submission } from './job-plan.ts'

/** Returns a document in the form that the submission asked for. */
export function showDocument(document: Document, { showsExtract, hidesLinks }: Submission): Document {
  const { attributes, json, ...rest } = document
  const shown = hidesLinks ? withoutLinks(attributes) : attributes
  return {
    ...rest,
    ...(shown !== undefined && { attributes: shown }),
    ...(json !== undefined && (showsExtract ? { extract: json } : { json })),
  }
}
