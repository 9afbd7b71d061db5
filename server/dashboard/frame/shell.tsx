import { serverRoutes } from 'bowline/contract/server-routes'
import type { ComponentChildren, VNode } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { useAccount } from '../api/context.ts'
import { Icon } from '../components/icon.tsx'
import { TimeStyleContext, type TimeStyle } from '../components/time-style.ts'
import { Logo } from '../components/logo.tsx'
import { navGroups, navItems } from './nav-items.ts'
import { linkTo, type Route } from './route.ts'
import { ShortcutHelp } from './shortcut-help.tsx'
import { useShortcuts } from './shortcuts.ts'
import { storedTimeStyle, storeTimeStyle } from './stored-time-style.ts'
import { ThemeButton } from './theme-button.tsx'
import { ToolButton } from './tool-button.tsx'

interface ShellProps {
  readonly route: Route
  readonly onSignOut: () => void
  /** Renders the palette. */
  readonly renderPalette: (onClose: () => void) => VNode
  readonly children: ComponentChildren
}

/** The layout: navigation and page. */
export function Shell({ route, onSignOut, renderPalette, children }: ShellProps) {
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  // Scrapes are opened from the activity page.
  const page = route.section === 'scrapes' ? 'activity' : route.section
  const onHelp = useCallback(() => setIsHelpOpen(true), [])
  const onPalette = useCallback(() => setIsPaletteOpen(true), [])
  const [timeStyle, setTimeStyle] = useState(storedTimeStyle)
  const onTimes = useCallback(() => {
    const next = timeStyle === 'exact' ? 'relative' : 'exact'
    storeTimeStyle(next)
    setTimeStyle(next)
  }, [timeStyle])
  useShortcuts({ onHelp, onPalette, onTimes })
  // Not for each route: a filter that is applied after the menu was opened must not close it.
  useEffect(() => setIsMenuOpen(false), [linkTo([route.section, ...route.rest])])
  // A layout effect, so that Escape works as soon as the menu is painted.
  useLayoutEffect(() => {
    if (!isMenuOpen) return undefined
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setIsMenuOpen(false)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isMenuOpen])
  return (
    <div class="shell" data-menu={isMenuOpen ? 'open' : undefined}>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to content
      </a>
      <TopBar page={page} isMenuOpen={isMenuOpen} onMenu={() => setIsMenuOpen(!isMenuOpen)} />
      <aside class="side">
        <a class="brand" href={linkTo(['sessions'])}>
          <Logo />
          <b>Bowline</b>
        </a>
        <button type="button" class="go-to" onClick={onPalette}>
          <Icon name="search" />
          Go to
          <kbd>Ctrl K</kbd>
        </button>
        <Navigation page={page} onClose={() => setIsMenuOpen(false)} />
        <Footer timeStyle={timeStyle} onTimes={onTimes} onHelp={onHelp} onSignOut={onSignOut} />
      </aside>
      <div class="backdrop" onClick={() => setIsMenuOpen(false)} />
      <main id="main" tabIndex={-1}>
        <TimeStyleContext.Provider value={timeStyle}>{children}</TimeStyleContext.Provider>
      </main>
      {isPaletteOpen && renderPalette(() => setIsPaletteOpen(false))}
      {isHelpOpen && <ShortcutHelp onClose={() => setIsHelpOpen(false)} />}
    </div>
  )
}

interface TopBarProps {
  readonly page: string
  readonly isMenuOpen: boolean
  readonly onMenu: () => void
}

/** The bar with the menu button on phones. */
function TopBar({ page, isMenuOpen, onMenu }: TopBarProps) {
  return (
    <header class="top">
      <button
        type="button"
        class="icon-button"
        aria-label="Menu"
        title="Menu"
        aria-expanded={isMenuOpen}
        onClick={onMenu}
      >
        <Icon name={isMenuOpen ? 'cross' : 'menu'} />
      </button>
      <Logo />
      <b>{navItems.find(({ name }) => name === page)?.title ?? 'Bowline'}</b>
    </header>
  )
}

interface NavigationProps {
  readonly page: string
  /** Closes the menu on phones. */
  readonly onClose: () => void
}

function Navigation({ page, onClose }: NavigationProps) {
  return (
    <nav aria-label="Pages">
      {navGroups.map((group) => (
        <section key={group.title}>
          <h2>{group.title}</h2>
          {group.navItems.map(({ name, title, icon, key }) => (
            <a
              key={name}
              href={linkTo([name])}
              aria-current={name === page ? 'page' : undefined}
              title={`g ${key}`}
              onClick={onClose}
            >
              <Icon name={icon} />
              {title}
            </a>
          ))}
        </section>
      ))}
    </nav>
  )
}

interface FooterProps {
  readonly timeStyle: TimeStyle
  /** Switches the style of times. */
  readonly onTimes: () => void
  readonly onHelp: () => void
  readonly onSignOut: () => void
}

function Footer({ timeStyle, onTimes, onHelp, onSignOut }: FooterProps) {
  const { team, keyName, isAdmin } = useAccount()
  return (
    <footer>
      <div class="account">
        <p class="who" title={isAdmin ? 'Admin key' : 'Member key'}>
          <b>{team}</b>
          <span>{keyName}</span>
        </p>
        <ToolButton icon="leave" label="Sign out" onClick={onSignOut} />
      </div>
      <ThemeButton />
      <ToolButton icon="clock" label={`Times: ${timeStyle}`} title={`Times: ${timeStyle} (t)`} onClick={onTimes} />
      <ToolButton icon="keyboard" label="Shortcuts" title="Shortcuts (?)" onClick={onHelp} />
      <a
        class="tool"
        href={serverRoutes.apiReference.path}
        target="_blank"
        // Without an opener, the tab would not get a copy of the key in the session storage.
        rel="opener"
        title="API reference"
      >
        <Icon name="book" />
        <span>API reference</span>
      </a>
    </footer>
  )
}

/** The hash is the current route, so the link must not change it. */
function focusMain(event: MouseEvent): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}
