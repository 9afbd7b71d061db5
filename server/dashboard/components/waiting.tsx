/** Grey rows in the place of what is awaited, so that nothing moves when it comes. */
export function Waiting({ rows = 5 }: { readonly rows?: number }) {
  return (
    <div class="waiting" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <i key={row} />
      ))}
    </div>
  )
}
