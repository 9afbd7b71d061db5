import type { ChildNode, Element } from 'domhandler'
import { isElement, isText, textOf } from '../../parse/dom-nodes.ts'
import { texEncoding } from '../../parse/math-markup.ts'

/** Returns a `<math>` as TeX: its TeX source if it has one, or its MathML translated. */
export function writeTex(math: Element): string {
  const source = findSource(math)?.trim() ?? ''
  return (source === '' ? translate(math.children) : source).replace(/\s+/g, ' ').trim()
}

function findSource(element: Element): string | undefined {
  for (const child of element.children) {
    if (!isElement(child)) continue
    if (child.name === 'annotation' && child.attribs['encoding'] === texEncoding) return textOf(child)
    const found = findSource(child)
    if (found !== undefined) return found
  }
  return undefined
}

function translate(nodes: readonly ChildNode[]): string {
  return nodes.map(translateNode).reduce(join, '')
}

/** Joins two parts. A command and a letter after it need a space. */
function join(before: string, after: string): string {
  return /\\[a-zA-Z]+$/.test(before.slice(-24)) && /^[a-zA-Z]/.test(after) ? `${before} ${after}` : before + after
}

function translateNode(node: ChildNode): string {
  if (isText(node)) return symbols(node.data.trim())
  if (!isElement(node)) return ''
  const parts = (): readonly string[] => node.children.filter(isElement).map((child) => translateNode(child))
  const [first = '', second = '', third = ''] = /^m(?:frac|root|su[bp]|subsup|under|over|underover)$/.test(node.name)
    ? parts()
    : []
  switch (node.name) {
    case 'mi':
      return identifier(textOf(node).trim())
    case 'mtext':
    case 'ms':
      return textOf(node).trim() === '' ? ' ' : `\\text{${escapeTex(textOf(node))}}`
    case 'mspace':
      return ' '
    case 'mfrac':
      return `\\frac{${first}}{${second}}`
    case 'msqrt':
      return `\\sqrt{${translate(node.children)}}`
    case 'mroot':
      return `\\sqrt[${second}]{${first}}`
    case 'msub':
      return `${base(first)}_${group(second)}`
    case 'msup':
      return `${base(first)}^${group(second)}`
    case 'msubsup':
      return `${base(first)}_${group(second)}^${group(third)}`
    case 'munder':
      return isLarge(first) ? `${first}_${group(second)}` : `\\underset{${second}}{${first}}`
    case 'mover':
      return over(first, second)
    case 'munderover':
      return isLarge(first)
        ? `${first}_${group(second)}^${group(third)}`
        : `\\underset{${second}}{${over(first, third)}}`
    case 'mfenced':
      return `${delimiter(node.attribs['open'] ?? '(')}${parts().join(', ')}${delimiter(node.attribs['close'] ?? ')')}`
    case 'mtable':
      return `\\begin{matrix} ${parts().join(' \\\\ ')} \\end{matrix}`
    case 'mtr':
      return parts().join(' & ')
    case 'annotation':
    case 'annotation-xml':
    case 'mphantom':
    case 'mprescripts':
    case 'none':
      return ''
    default:
      return translate(node.children)
  }
}

const functions = new Set(
  'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim max min sup inf det gcd arg dim ker deg'.split(
    ' ',
  ),
)

function identifier(name: string): string {
  if (functions.has(name)) return `\\${name}`
  return /^[a-z]{2,}$/i.test(name) ? `\\mathrm{${name}}` : symbols(name)
}

/** Wraps a base of several symbols, so that the script belongs to all of them. */
function base(text: string): string {
  return isSingle(text) ? text : `{${text}}`
}

function group(text: string): string {
  return /^[\w']$/.test(text) ? text : `{${text}}`
}

function isSingle(text: string): boolean {
  return /^(?:.|\d+|\\[a-zA-Z]+(?:\{[^{}]*\})?|\)|\])$/su.test(text)
}

function isLarge(text: string): boolean {
  return /^\\(?:sum|prod|int|iint|oint|lim|max|min|sup|inf|bigcup|bigcap|coprod)$/.test(text)
}

const accents: Readonly<Record<string, string>> = {
  '¯': 'overline',
  '‾': 'overline',
  '^': 'hat',
  ˆ: 'hat',
  '~': 'tilde',
  '˜': 'tilde',
  '\\to': 'vec',
  '.': 'dot',
  '˙': 'dot',
  '..': 'ddot',
  '¨': 'ddot',
  '⏞': 'overbrace',
}

function over(below: string, above: string): string {
  if (isLarge(below)) return `${below}^${group(above)}`
  const accent = Object.hasOwn(accents, above) ? accents[above] : undefined
  return accent === undefined ? `\\overset{${above}}{${below}}` : `\\${accent}{${below}}`
}

function delimiter(text: string): string {
  return text === '{' || text === '}' ? `\\${text}` : symbols(text)
}

function escapeTex(text: string): string {
  return text.replace(/[#$%&_{}]/g, '\\$&')
}

const commands: ReadonlyMap<string, string> = new Map(
  (
    '× times|÷ div|⋅ cdot|· cdot|± pm|∓ mp|≤ leq|≥ geq|≠ neq|≈ approx|≡ equiv|∼ sim|≅ cong|∝ propto|∞ infty|∂ partial|' +
    '∇ nabla|∑ sum|∏ prod|∐ coprod|∫ int|∬ iint|∮ oint|→ to|← leftarrow|↔ leftrightarrow|⇒ Rightarrow|⇐ Leftarrow|' +
    '⇔ Leftrightarrow|↦ mapsto|∈ in|∉ notin|⊂ subset|⊆ subseteq|⊃ supset|⊇ supseteq|∪ cup|∩ cap|∅ emptyset|∀ forall|' +
    '∃ exists|¬ neg|∧ land|∨ lor|⊕ oplus|⊗ otimes|∘ circ|… ldots|⋯ cdots|⋮ vdots|⋱ ddots|′ prime|⟨ langle|⟩ rangle|' +
    'ℓ ell|ℏ hbar|⋃ bigcup|⋂ bigcap|α alpha|β beta|γ gamma|δ delta|ε varepsilon|ϵ epsilon|ζ zeta|η eta|θ theta|' +
    'ι iota|κ kappa|λ lambda|μ mu|ν nu|ξ xi|π pi|ρ rho|σ sigma|τ tau|υ upsilon|φ varphi|ϕ phi|χ chi|ψ psi|ω omega|' +
    'Γ Gamma|Δ Delta|Θ Theta|Λ Lambda|Ξ Xi|Π Pi|Σ Sigma|Φ Phi|Ψ Psi|Ω Omega'
  )
    .split('|')
    .map((pair) => pair.split(' ') as [string, string]),
)
const sets: Readonly<Record<string, string>> = { ℝ: 'R', ℤ: 'Z', ℕ: 'N', ℚ: 'Q', ℂ: 'C', ℙ: 'P' }
// Operators that are shown as nothing: applied to, times, separated by, plus.
const silent = new Set(['\u2061', '\u2062', '\u2063', '\u2064', '\u200b'])

function symbols(text: string): string {
  return Array.from(text, symbol).reduce(join, '')
}

function symbol(character: string): string {
  if (silent.has(character)) return ''
  if (character === '−') return '-'
  if (/[#$%&_{}]/.test(character)) return `\\${character}`
  const command = commands.get(character)
  if (command !== undefined) return `\\${command}`
  return Object.hasOwn(sets, character) ? `\\mathbb{${sets[character]}}` : character
}
