/** The bowline knot. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M21 27V12a6 6 0 1 0-6 6h6.5a4.5 4.5 0 1 0-4.5-4.5V16" />
    </svg>
  )
}
