/** Replaces every run of white space with one space. */
export function collapseSpace(text: string): string {
  // Matches only runs that change, which are few: most words have a single space between them.
  return text.replace(/\s{2,}|[^\S ]/g, ' ')
}
