/** Grey placeholder rows that avoid layout shift while content loads. */
export function Skeleton({ rows = 5 }: { readonly rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <i key={row} />
      ))}
    </div>
  )
}
