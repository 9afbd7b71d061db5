import { ancestorsOf } from './ancestor-features.ts'
import { areaNames } from './element-context.ts'
import type { Layout } from './layout.ts'
import { markNames } from './lexicon.ts'

const commentMark = markNames.indexOf('comment')
const controls = (1 << areaNames.indexOf('form')) | (1 << areaNames.indexOf('button'))

/**
 * Returns the selection with all readers' comments, or with none of them. Keeps the selection if it
 * has nothing but comments, so that a discussion is never empty.
 */
export function withComments(layout: Layout, isKept: readonly boolean[], isIncluded: boolean): readonly boolean[] {
  const isComment = findComments(layout)
  if (isIncluded)
    return isKept.map((is, index) => {
      const context = layout.contexts[index]
      const isText = context !== undefined && !context.isHidden && (context.areas & controls) === 0
      return is || (isText && isComment[index] === true)
    })
  const rest = isKept.map((is, index) => is && isComment[index] !== true)
  return rest.includes(true) ? rest : isKept
}

/** Returns for every text whether it is in an element that is named after comments. */
function findComments(layout: Layout): readonly boolean[] {
  // An element around the title holds the whole page, such as `<div class="has-comments">`.
  const aroundTitle = ancestorsOf(layout.contexts[layout.firstHeading])
  return layout.contexts.map((context) => {
    for (let up = context; !aroundTitle.has(up);) {
      if (up.markSteps[commentMark] === 0) return true
      if (up.parent === undefined) return false
      up = up.parent
    }
    return false
  })
}
