import { useState } from 'preact/hooks'
import { CopyButton } from './copy-button.tsx'
import { Tabs } from './tabs.tsx'

/** Code snippets by language. */
export type Snippets = Readonly<Record<string, string>>

/** Code to copy, with a tab for each language. */
export function Snippet({ snippets }: { readonly snippets: Snippets }) {
  const names = Object.keys(snippets)
  const [chosen, setChosen] = useState(names[0] ?? '')
  const code = snippets[chosen] ?? ''
  return (
    <figure class="snippet">
      <figcaption>
        <Tabs label="Language" names={names} chosen={chosen} onChoose={setChosen} />
        <CopyButton text={code} label="Copy this code" />
      </figcaption>
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  )
}
