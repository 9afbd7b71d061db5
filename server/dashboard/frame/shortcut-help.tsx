import { Dialog } from '../components/dialog.tsx'
import { navItems } from './nav-items.ts'

const onPage = [
  { keys: ['/'], action: 'Search or filter this page' },
  { keys: ['n'], action: 'Create, upload or import on this page' },
  { keys: ['r'], action: 'Reload' },
  { keys: ['t'], action: 'Switch between relative and exact times' },
  { keys: ['Esc'], action: 'Close the dialog or menu' },
  { keys: ['Ctrl', 'K'], action: 'Go to a page, an id or a session' },
  { keys: ['?'], action: 'Show keyboard shortcuts' },
]

/** The list of shortcuts. */
export function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="shortcuts">
        {navItems.map(({ key, title }) => (
          <Shortcut key={key} keys={['g', key]} action={title} />
        ))}
        {onPage.map(({ keys, action }) => (
          <Shortcut key={action} keys={keys} action={action} />
        ))}
      </dl>
    </Dialog>
  )
}

function Shortcut({ keys, action }: { readonly keys: readonly string[]; readonly action: string }) {
  return (
    <div>
      <dt>{action}</dt>
      <dd>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dd>
    </div>
  )
}
