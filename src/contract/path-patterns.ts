import { z } from 'zod'
import { boundedArray } from './bounded.ts'

function isPattern(text: string): boolean {
  try {
    return new RegExp(text).source !== ''
  } catch {
    // Not a valid regular expression.
    return false
  }
}

/** Schema of regular expressions for paths, at most 100. */
export const pathPatterns = boundedArray(
  z.string().min(1).max(500).refine(isPattern, 'must be a regular expression'),
  100,
)
