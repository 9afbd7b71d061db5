/** A metric that an expression selects. */
export interface Selector {
  readonly name: string
  readonly matchers: readonly Matcher[]
}

/** A condition on a label, such as `code=~"A|B"`. */
export interface Matcher {
  readonly label: string
  readonly operator: string
  readonly value: string
}

/** The metrics and labels that a PromQL expression uses. */
export interface Expression {
  readonly selectors: readonly Selector[]
  /** Labels of `by`, `without`, `on` and `ignoring`. */
  readonly grouping: readonly string[]
}

const keywords: ReadonlySet<string> = new Set(['and', 'or', 'unless', 'bool', 'offset', 'by', 'without', 'on'])

/** Finds what an expression uses. Not a parser: `promtool` checks the syntax. */
export function readExpression(text: string): Expression {
  const lists = [...text.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)]
  const grouping = lists.flatMap(([, labels = '']) => labels.split(',').map((label) => label.trim()))
  const rest = text
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/"[^"]*"|\b\d[\w.]*/g, (each) => (each.startsWith('"') ? each : ' '))
  const selectors = [...rest.matchAll(/([a-z_:][\w:]*)\s*(\{[^}]*\}|\()?/gi)].flatMap(([, name = '', after = '']) =>
    after === '(' || keywords.has(name) ? [] : [{ name, matchers: readMatchers(after) }],
  )
  return { selectors, grouping }
}

function readMatchers(braces: string): readonly Matcher[] {
  return [...braces.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => ({
    label,
    operator,
    value,
  }))
}
