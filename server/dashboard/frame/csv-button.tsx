import { useAction } from './use-action.ts'
import type { Api } from '../api/api.ts'
import { toCsv, type CsvRow } from '../components/csv.ts'
import { saveAs } from '../components/save-as.ts'

interface CsvButtonProps {
  /** Name of the file, without its extension. */
  readonly name: string
  readonly readRows: (api: Api) => Promise<readonly CsvRow[]>
}

/** A button that saves rows as a CSV file. */
export function CsvButton({ name, readRows }: CsvButtonProps) {
  const save = useAction(async (api) => {
    saveAs(new Blob([toCsv(await readRows(api))], { type: 'text/csv' }), `${name}.csv`)
  })
  return (
    <button type="button" class="button" disabled={save.isRunning} onClick={() => void save.run(undefined)}>
      {save.isRunning ? 'Saving…' : 'Save as CSV'}
    </button>
  )
}
