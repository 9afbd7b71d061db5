/**
 * Replaces the links of llms.txt, which are paths in the repository, by links that work on the
 * site: pages by their addresses, other files by those in the package at `filesUrl`.
 */
export function linkToSite(text: string, filesUrl: string): string {
  return text.replaceAll(/\]\(([^)]+)\)/g, (_, path: string) => {
    const page = /^docs\/(.+)\.md$/.exec(path)?.[1]
    return `](${page ?? `${filesUrl}${path}`})`
  })
}
