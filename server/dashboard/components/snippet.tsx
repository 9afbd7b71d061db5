import { useState } from 'preact/hooks'
import { Copy } from './copy.tsx'
import { Tabs } from './tabs.tsx'

/** The same in several languages, by name. */
export type Snippets = Readonly<Record<string, string>>

/** Code to copy, in the language of one's choice. */
export function Snippet({ snippets }: { readonly snippets: Snippets }) {
  const names = Object.keys(snippets)
  const [chosen, setChosen] = useState(names[0] ?? '')
  const code = snippets[chosen] ?? ''
  return (
    <figure class="snippet">
      <figcaption>
        <Tabs label="Language" names={names} chosen={chosen} onChoose={setChosen} />
        <Copy text={code} label="Copy this code" />
      </figcaption>
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  )
}
