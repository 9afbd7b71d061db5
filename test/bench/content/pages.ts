import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** One labelled page of the benchmark. */
export interface LabelledPage {
  readonly id: string
  readonly url: string
  readonly type: string
  /** The main content as plain text. */
  readonly truth: string
  readonly html: string
}

interface Label {
  readonly url?: string
  readonly ground_truth?: { readonly main_content?: string }
  readonly _internal?: { readonly page_type?: string | { readonly primary?: string } }
}

/**
 * Reads the labelled pages under `folder`, a copy of the benchmark's data (`dev/ground-truth`,
 * `dev/html`), by id.
 */
export function readLabelledPages(folder: string): readonly LabelledPage[] {
  return readdirSync(join(folder, 'dev/ground-truth'))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const id = name.slice(0, -5)
      const label = JSON.parse(readFileSync(join(folder, 'dev/ground-truth', name), 'utf8')) as Label
      const kind = label._internal?.page_type
      const type = (typeof kind === 'string' ? kind : kind?.primary) ?? 'article'
      return {
        id,
        url: label.url ?? '',
        type: type === 'category' ? 'collection' : type,
        truth: label.ground_truth?.main_content ?? '',
        html: gunzipSync(readFileSync(join(folder, 'dev/html', `${id}.html.gz`))).toString('utf8'),
      }
    })
}
