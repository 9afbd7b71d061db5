/** Returns a pattern for output as the documentation shows it. `…` stands for any text. */
export function matchesOutput(shown: string): RegExp {
  const literal = shown
    .trim()
    .split('…')
    .map((part) => part.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^\\s*${literal.join('[^]*')}\\s*$`)
}
