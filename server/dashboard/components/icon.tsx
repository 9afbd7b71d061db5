/** SVG paths in a 16 by 16 view box. */
const drawings = {
  wall: 'M2 3h5v4H2zM9 3h5v4H9zM2 9h5v4H2zM9 9h5v4H9z',
  profile: 'M8 8.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM2.8 14c.6-2.6 2.6-3.8 5.2-3.8s4.6 1.2 5.2 3.8',
  puzzle: 'M2.5 5.5H6a1.6 1.6 0 1 1 3.2 0h3.3V9a1.6 1.6 0 1 1 0 3.2v1.3h-10z',
  play: 'M2.5 3h11v10h-11zM6.5 6v4l3.5-2z',
  jobs: 'M2.5 4h11M2.5 8h11M2.5 12h6',
  monitor: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  chart: 'M2.5 13.5h11M4 11V8M8 11V3.5M12 11V6',
  list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
  key: 'M5 13a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 5 13zM7 8l6.5-5.5M11 4.6l1.8 2',
  pulse: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.9v.1',
  check: 'M3 8.5l3.3 3.3L13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  keyboard: 'M1.5 4h13v8h-13zM4 6.6h.1M6.7 6.6h.1M9.3 6.6h.1M12 6.6h.1M5 9.6h6',
  book: 'M3 2.5h8.5a1.5 1.5 0 0 1 1.5 1.5v9.5H4.5A1.5 1.5 0 0 1 3 12zM3 12a1.5 1.5 0 0 1 1.5-1.5H13',
  leave: 'M9.5 2.5h-6v11h6M6.5 8h7M11 5.5 13.5 8 11 10.5',
  system: 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13.5 9.5A5.8 5.8 0 0 1 6.5 2.5 5.8 5.8 0 1 0 13.5 9.5z',
  copy: 'M5.5 5.5h8v8h-8zM3 10.5H2.5v-8h8V3',
  plus: 'M8 3v10M3 8h10',
  reload: 'M13 8a5 5 0 1 1-1.6-3.7L13 6M13 2.8V6H9.8',
  stop: 'M4 4h8v8H4z',
  hand: 'M5.5 9V4.2a1.1 1.1 0 0 1 2.2 0V7.5M7.7 7V3.2a1.1 1.1 0 0 1 2.2 0V7.5M9.9 7.5V4.5a1.1 1.1 0 0 1 2.2 0v5c0 2.6-1.5 4.5-4 4.5-2.3 0-3.3-1-4.6-3.3l-1-1.8c-.6-1.2.9-2 1.7-.9L5.5 9.5',
  out: 'M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.7 3.7',
  hook: 'M8 2.5v6.2a3 3 0 1 1-3-3M8 2.5h3.5',
  team: 'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.8 13c.4-2.3 2-3.4 4.2-3.4s3.8 1.1 4.2 3.4M10.5 3.2a2.2 2.2 0 0 1 0 4.1M12 9.9c1.3.5 2 1.6 2.3 3.1',
  bin: 'M2.5 4h11M6 4V2.5h4V4M4 4l.6 9.5h6.8L12 4M6.7 6.5v4.5M9.3 6.5v4.5',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.7V8l2.3 1.6',
  file: 'M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3',
  lock: 'M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  undo: 'M6 3 3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6',
} as const

/** Name of an icon. */
export type IconName = keyof typeof drawings

/** An icon that is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={drawings[name]} />
    </svg>
  )
}
