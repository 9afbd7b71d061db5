/** Returns the text of the answer of a tool. */
export function textOf(answer: unknown): string {
  const { content } = answer as { readonly content: readonly { readonly type: string; readonly text?: string }[] }
  return content.map(({ text = '' }) => text).join('\n')
}

/** Returns the ref of the element whose line contains `text`. Throws if there is none. */
export function refOf(snapshot: string, text: string): string {
  const line = snapshot.split('\n').find((each) => each.includes(text))
  const ref = /\[((?:f\d+)?e\d+)\]/.exec(line ?? '')?.[1]
  if (ref === undefined) throw new Error(`no ref for ${text} in:\n${snapshot}`)
  return ref
}
