/** Returns the first characters of a text, without a reference to the rest. */
export function copyStart(text: string, length: number): string {
  return text.length > length ? Buffer.from(text.slice(0, length)).toString() : text
}
