import { readFileSync } from 'node:fs'

/** Learned model of main content. */
export interface MainContentModel {
  /** Logit of a text without features. */
  readonly base: number
  /** Decision trees as nodes in preorder: `feature<threshold`, or `=value` for a leaf. */
  readonly trees: readonly string[]
}

/**
 * Reads the model next to this file. `node test/bench/content/train.ts FOLDER` trains it on a
 * folder of labelled pages and replaces the file.
 */
export function readModel(): MainContentModel {
  return JSON.parse(readFileSync(new URL('main-content-model.json', import.meta.url), 'utf8')) as MainContentModel
}
