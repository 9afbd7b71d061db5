import type { FullProject, PlaywrightWorkerOptions } from '@playwright/test'
import type { RunState } from './run-state.ts'

/** Options of Playwright Test that do not apply to remote sessions. */
export interface IgnoredOptions {
  readonly video: PlaywrightWorkerOptions['video']
  readonly browserName: string
}

/** Warns once per run of options that have no effect. */
export function warnOfIgnoredOptions(
  { video, browserName }: IgnoredOptions,
  { name, use }: Pick<FullProject, 'name' | 'use'>,
  runState: RunState,
): void {
  const mode = typeof video === 'string' ? video : video.mode
  if (mode !== 'off') {
    runState.warnOnce('video', '`video` has no effect. Set `sessionOptions: { record: { video: true } }` under `use`.')
  }
  const requested = browserName === 'chromium' ? findRequestedBrowser(use) : browserName
  if (requested === undefined) return
  const project = name === '' ? 'the configuration' : `project "${name}"`
  runState.warnOnce(
    `browser-${Buffer.from(name).toString('hex').slice(0, 100)}`,
    `${project} asks for ${requested}, but all tests run in Chromium.`,
  )
}

/**
 * Returns the browser that a project asks for, if it is not Chromium. Phones and tablets of
 * `devices` have WebKit as their default browser; emulating them in Chromium is usual.
 */
function findRequestedBrowser({ browserName, defaultBrowserType, isMobile }: FullProject['use']): string | undefined {
  const requested = browserName ?? (isMobile === true ? undefined : defaultBrowserType)
  return requested === 'chromium' ? undefined : requested
}
