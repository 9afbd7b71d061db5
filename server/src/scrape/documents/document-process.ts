// Program of a process: converts one document.
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { handleMessages } from '../../kit/handle-messages.ts'
import { convertDocument } from './convert-document.ts'
import type { DocumentKind } from './file-kinds.ts'

/** A document to convert. */
export interface DocumentJob {
  readonly bytes: Uint8Array
  readonly kind: DocumentKind
  /** Content type of the response, which can declare the charset of text. */
  readonly contentType?: string | undefined
}

/** The response of the process. */
export type DocumentOutcome =
  | { readonly html: string }
  | { readonly code: string; readonly message: string; readonly hint: string | undefined }

async function convert({ bytes, kind, contentType }: DocumentJob): Promise<DocumentOutcome> {
  try {
    return { html: await convertDocument(bytes, kind, contentType) }
  } catch (error) {
    const message = messageOf(error)
    if (isBowlineError(error)) return { code: error.code, message, hint: error.hint }
    return {
      code: 'DOCUMENT_INVALID',
      message: `The ${kind.toUpperCase()} file could not be read: ${message}`,
      hint: undefined,
    }
  }
}

handleMessages(convert)
