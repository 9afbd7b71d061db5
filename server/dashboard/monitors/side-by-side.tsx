import { useMemo } from 'preact/hooks'
import { toDiffRows, type DiffLine } from './diff-rows.ts'

/** A side-by-side diff. */
export function SideBySide({ diff }: { readonly diff: string }) {
  const rows = useMemo(() => toDiffRows(diff), [diff])
  return (
    <div class="diff-box">
      <table class="diff" aria-label="Before and after">
        <colgroup>
          <col class="numbers" />
          <col />
          <col class="numbers" />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" colSpan={2}>
              Before
            </th>
            <th scope="col" colSpan={2}>
              After
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) =>
            row.kind === 'gap' ? (
              <tr key={at} class="gap">
                <td colSpan={4}>⋯</td>
              </tr>
            ) : (
              <tr key={at}>
                <Side line={row.left} change="removed" />
                <Side line={row.right} change="added" />
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  )
}

function Side({ line, change }: { readonly line: DiffLine | undefined; readonly change: 'removed' | 'added' }) {
  if (line === undefined) return <td colSpan={2} class="absent" />
  const [before, different, after] = line.parts
  const state = line.isChanged ? change : undefined
  const Mark = change === 'removed' ? 'del' : 'ins'
  return (
    <>
      <td class="line-number" data-change={state}>
        {line.number}
      </td>
      <td class="line" data-change={state}>
        {before}
        {different !== '' && <Mark>{different}</Mark>}
        {after}
      </td>
    </>
  )
}
