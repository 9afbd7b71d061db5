import { readFile } from 'node:fs/promises'
import { BowlineError } from '../kit/errors.ts'
import { messageOf } from '../kit/message-of.ts'

/** Reads a file with a JSON Schema. Throws CONFIG_INVALID. */
export async function readSchema(file: string): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  } catch (cause) {
    const reason = messageOf(cause)
    throw new BowlineError('CONFIG_INVALID', `Cannot read ${file} as a JSON Schema: ${reason}`, {
      hint: 'Use a file that contains one JSON object.',
      cause,
    })
  }
}
