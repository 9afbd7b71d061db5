import { createContext } from 'preact'

/** How times are shown: as `2 min ago`, or with date and time. */
export type TimeStyle = 'relative' | 'exact'

/** The style of all times on the page. */
export const TimeStyleContext = createContext<TimeStyle>('relative')
