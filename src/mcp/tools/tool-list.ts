import { fileTools } from './file-tools.ts'
import { inputTools } from './input-tools.ts'
import { inspectionTools } from './inspection-tools.ts'
import { navigationTools } from './navigation-tools.ts'
import { scrapingTools } from './scraping-tools.ts'
import { sessionTools } from './session-tools.ts'
import type { Tool } from './tool.ts'

const allTools: readonly Tool[] = [
  ...navigationTools,
  ...inputTools,
  ...inspectionTools,
  ...fileTools,
  ...sessionTools,
  ...scrapingTools,
]

/** Returns the tools that a caller may use. */
export function availableTools({ readOnly }: { readonly readOnly: boolean }): readonly Tool[] {
  return allTools.filter(({ isReadOnly }) => isReadOnly || !readOnly)
}
