import { Dialog } from '../components/dialog.tsx'
import { navItems } from './nav-items.ts'

const onPage = [
  { keys: ['/'], does: 'Search or filter this page' },
  { keys: ['n'], does: 'Make a new one: session, monitor, key' },
  { keys: ['r'], does: 'Load anew' },
  { keys: ['Esc'], does: 'Close what is open' },
  { keys: ['?'], does: 'Show this list' },
]

/** The list of shortcuts. */
export function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="shortcuts">
        {navItems.map(({ key, title }) => (
          <Shortcut key={key} keys={['g', key]} does={title} />
        ))}
        {onPage.map(({ keys, does }) => (
          <Shortcut key={does} keys={keys} does={does} />
        ))}
      </dl>
    </Dialog>
  )
}

function Shortcut({ keys, does }: { readonly keys: readonly string[]; readonly does: string }) {
  return (
    <div>
      <dt>{does}</dt>
      <dd>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dd>
    </div>
  )
}
