import { useEffect, useId, useState } from 'preact/hooks'
import { Badge } from '../components/badge.tsx'
import { Dialog } from '../components/dialog.tsx'
import { useSettled } from '../components/use-settled.ts'
import { useLoaded } from '../frame/use-loaded.ts'
import { findNamed, findObjects, findPages, readNamed, type Destination } from './find-destinations.ts'

/** A dialog that goes to a page, or to whatever has the id that is entered. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const listId = useId()
  const settled = useSettled(text, 200)
  const { value: objects = [], isLoading } = useLoaded(`destinations ${settled}`, async (api, signal) =>
    findObjects(api, settled, signal),
  )
  const { value: named = [] } = useLoaded('named destinations', readNamed)
  const destinations = [...findPages(text), ...objects, ...findNamed(named, text)]
  useEffect(() => setChosen(0), [text])
  const open = ({ link }: Destination): void => {
    location.hash = link
    onClose()
  }
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const count = destinations.length
    if (step !== 0 && count > 0) setChosen((chosen + step + count) % count)
    else if (event.key === 'Enter' && destinations[chosen] !== undefined) open(destinations[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        // Not of type "search", in which Escape clears the text and leaves the dialog open.
        type="text"
        enterkeyhint="go"
        autocomplete="off"
        autofocus
        role="combobox"
        aria-label="Page, id, name or URL"
        aria-expanded={destinations.length > 0}
        aria-controls={listId}
        aria-activedescendant={destinations.length > 0 ? `${listId}-${chosen}` : undefined}
        placeholder="Page, id, name or URL"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <ul class="destinations" id={listId} role="listbox" aria-label="Results">
        {destinations.map((destination, index) => (
          <li
            key={`${destination.kind} ${destination.link}`}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => open(destination)}
          >
            <span>{destination.title}</span> <Badge>{destination.kind}</Badge>
          </li>
        ))}
      </ul>
      {destinations.length === 0 && <p class="faint">{isLoading ? 'Searching…' : 'Nothing found.'}</p>}
    </Dialog>
  )
}
